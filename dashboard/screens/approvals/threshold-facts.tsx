import { api } from '../../api/client';
import { Facts } from '../../parts/record/facts';
import { Money } from '../../parts/values/money';
import type { Approval } from './approval-text';

/** Compares the amount with the account's current approval threshold. */
export function ThresholdFacts({ approval }: { approval: Approval }) {
  const { data } = api.useQuery('get', '/settings', {}, { staleTime: 60_000 });
  if (!data) return null;
  const isDay = approval.held_by === 'agent_day_cents';
  const threshold = isDay ? data.agent_day_cents : data.agent_gate_cents;
  const counted = approval.counted_cents ?? approval.amount_cents;
  const name = isDay ? 'Threshold of a day' : 'Approval threshold';
  if (threshold === null) return <Facts items={{ [name]: 'Off' }} />;
  const difference = counted - threshold;
  return (
    <Facts
      items={{
        [name]: <Money cents={threshold} />,
        'With related drafts': counted === approval.amount_cents ? undefined : <Money cents={counted} />,
        [difference < 0 ? 'Below the threshold by' : 'Above the threshold by']: (
          <Money cents={Math.abs(difference)} />
        ),
        'Held by': approval.held_by
          ? isDay
            ? 'The drafts of this agent within 24 hours'
            : 'The drafts of this agent for one customer or work order'
          : 'Nothing: the agent asks by itself',
      }}
    />
  );
}
