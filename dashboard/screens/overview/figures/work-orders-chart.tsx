import type { Schemas } from '../../../api/records';
import { useTimeZone } from '../../../api/session';
import { Chart } from '../../../parts/charts/chart';
import { formatCount, formatHours, sumOf } from './hours';

/** Work orders that were created in the last 24 hours, by hour. */
export function WorkOrdersChart({ overview: { hours } }: { overview: Schemas['Overview'] }) {
  const timeZone = useTimeZone();
  return (
    <Chart
      name="Work orders by hour"
      labelName="Hour"
      kind="bars"
      summary={`In the last 24 hours ${formatCount(sumOf(hours, 'work_orders'))} work orders were created.`}
      empty="No work order was created in the last 24 hours."
      labels={formatHours(hours, timeZone)}
      format={formatCount}
      series={[{ name: 'Created', tone: 'busy', values: hours.map((hour) => hour.work_orders) }]}
    />
  );
}
