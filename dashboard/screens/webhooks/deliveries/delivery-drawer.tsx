import { Stack, Text } from '@mantine/core';
import { api } from '../../../api/client';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { Facts } from '../../../parts/record/facts';
import { RecordDrawer } from '../../../parts/record/record-drawer';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { SearchLink } from '../../../parts/url/links';
import { useUrl, useUrlSearch } from '../../../parts/url/use-url';
import { ExactTime, TimeAgo } from '../../../parts/values/time';
import { EndpointName } from '../choices/endpoint-names';
import { Attempt } from './attempt';
import { DeliveryActions } from './delivery-actions';
import type { Delivery } from './delivery-columns';
import { useEventBody } from './event-body';

/**
 * The page first reads a new delivery at short intervals, because its first attempt usually ends
 * within two seconds.
 */
const FAST_MS = 600;
const SLOW_MS = 15_000;
/** Number of fast reads. More would use up the account's requests of the minute. */
const FAST_READS = 12;

/** One delivery with its attempts. The URL names the delivery in `?delivery=`, over any list. */
export function DeliveryDrawer({ id }: { id: string }) {
  const { cursor } = useUrlSearch();
  const { setSearch } = useUrl();
  const reading = api.useQuery(
    'get',
    '/webhook-deliveries/{id}',
    { params: { path: { id } } },
    { refetchInterval: ({ state }) => pollMs(state.data, state.dataUpdateCount) },
  );
  return (
    <RecordDrawer
      reading={reading}
      name={({ event_type: type }) => `Delivery of ${type}`}
      status={({ status }) => <StatusBadge status={status} />}
      actions={(delivery) => <DeliveryActions delivery={delivery} />}
      onClose={() => setSearch({ cursor, delivery: undefined })}
    >
      {(delivery) => (
        <Stack gap="md">
          <DeliveryFacts delivery={delivery} />
          <Attempts delivery={delivery} />
        </Stack>
      )}
    </RecordDrawer>
  );
}

function pollMs(delivery: Delivery | undefined, reads: number): number | false {
  if (!delivery || delivery.completed_at) return false;
  return delivery.attempts === 0 && reads < FAST_READS ? FAST_MS : SLOW_MS;
}

function DeliveryFacts({ delivery }: { delivery: Delivery }) {
  const { endpoint_id: endpointId, replay_of: original, replay_id: replayId } = delivery;
  return (
    <Facts
      items={{
        Endpoint: <EndpointName id={endpointId} />,
        Trigger: humanize(delivery.trigger),
        'Event (webhook-id)': <code>{delivery.event_id}</code>,
        Created: <ExactTime at={delivery.created_at} hasSeconds />,
        'Next attempt': delivery.next_attempt_at ? <TimeAgo at={delivery.next_attempt_at} /> : undefined,
        Ended: <ExactTime at={delivery.completed_at} empty="Not yet" hasSeconds />,
        'Repeats a delivery': original ? (
          <SearchLink search={{ delivery: original }}>Open the first delivery</SearchLink>
        ) : undefined,
        'Part of a replay': replayId ? (
          <SearchLink search={{ delivery: '', replay: replayId }}>Open the replay</SearchLink>
        ) : undefined,
      }}
    />
  );
}

/** The timeline of attempts, newest first. */
function Attempts({ delivery }: { delivery: Delivery }) {
  const reading = api.useQuery(
    'get',
    '/webhook-deliveries/{id}/attempts',
    { params: { path: { id: delivery.id }, query: { limit: 200 } } },
    {
      refetchInterval: ({ state }) => {
        const isMissingOne = (state.data?.data.items.length ?? 0) < delivery.attempts;
        return isMissingOne && state.dataUpdateCount < FAST_READS ? FAST_MS : false;
      },
    },
  );
  const body = useEventBody(delivery);
  const attempts = reading.data?.data.items ?? [];
  if (reading.isPending) return <Loading label="Loading the attempts" rows={3} />;
  if (!reading.data) return <ProblemAlert problem={reading.error} onRetry={() => void reading.refetch()} />;
  return (
    <Stack gap="sm" role="region" aria-label="Attempts">
      <Text fw={600}>Attempts</Text>
      <div aria-live="polite">
        {attempts.length === 0 && (
          <Text c="dimmed">
            {delivery.completed_at ? 'No attempt was made.' : 'The first attempt is being made.'}
          </Text>
        )}
      </div>
      {attempts.map((attempt, index) => (
        <Attempt key={attempt.id} attempt={attempt} body={body} isOpen={index === 0} />
      ))}
    </Stack>
  );
}
