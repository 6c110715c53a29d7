import type { Schemas } from '../../../api/records';
import { useTimeZone } from '../../../api/session';
import { Chart } from '../../../parts/charts/chart';
import { formatCount, formatHours, sumOf } from './hours';

type Props = { overview: Schemas['Overview'] };

/** Webhook deliveries of the last 24 hours, by hour and result. */
export function DeliveriesChart({ overview: { hours } }: Props) {
  const timeZone = useTimeZone();
  const succeeded = sumOf(hours, 'deliveries_succeeded');
  const failed = sumOf(hours, 'deliveries_failed');
  return (
    <Chart
      name="Deliveries by hour"
      labelName="Hour"
      kind="bars"
      summary={`In the last 24 hours ${formatCount(succeeded)} succeeded and ${formatCount(failed)} failed.`}
      empty="No webhook was delivered in the last 24 hours."
      labels={formatHours(hours, timeZone)}
      format={formatCount}
      series={[
        { name: 'Succeeded', tone: 'good', values: hours.map((hour) => hour.deliveries_succeeded) },
        { name: 'Failed', tone: 'bad', isMarked: true, values: hours.map((hour) => hour.deliveries_failed) },
      ]}
    />
  );
}

/** How long receivers took to respond in the last 24 hours, by hour. */
export function DurationsChart({ overview: { hours } }: Props) {
  const timeZone = useTimeZone();
  const slowest = Math.max(0, ...hours.map((hour) => hour.attempts_p95_ms ?? 0));
  return (
    <Chart
      name="Latency of deliveries"
      labelName="Hour"
      kind="curves"
      summary={`In the slowest of the last 24 hours, 95 of 100 attempts took at most ${formatMs(slowest)}.`}
      empty="No delivery was attempted in the last 24 hours."
      labels={formatHours(hours, timeZone)}
      format={formatMs}
      series={[
        { name: 'p50', tone: 'busy', values: hours.map((hour) => hour.attempts_p50_ms) },
        { name: 'p95', tone: 'alert', isMarked: true, values: hours.map((hour) => hour.attempts_p95_ms) },
      ]}
    />
  );
}

function formatMs(ms: number): string {
  return `${formatCount(ms)} ms`;
}
