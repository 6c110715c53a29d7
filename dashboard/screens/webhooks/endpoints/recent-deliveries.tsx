import { Stack, Text } from '@mantine/core';
import { api } from '../../../api/client';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { Facts } from '../../../parts/record/facts';
import { TimeAgo } from '../../../parts/values/time';

const COUNTED = 200;

/** The results of the endpoint's last deliveries, and the time of the next retry. */
export function RecentDeliveries({ endpointId }: { endpointId: string }) {
  const recent = useDeliveries({ endpoint_id: endpointId });
  const waiting = useDeliveries({ endpoint_id: endpointId, status: 'failed' });
  if (recent.isPending || waiting.isPending) return <Loading rows={2} />;
  const problem = recent.error ?? waiting.error;
  if (problem) return <ProblemAlert problem={problem} onRetry={() => void recent.refetch()} />;
  const items = recent.data?.data.items ?? [];
  const retries = waiting.data?.data.items ?? [];
  const nextRetry = retries.map(({ next_attempt_at: at }) => at ?? '').sort()[0];
  const succeeded = items.filter(({ status }) => status === 'succeeded').length;
  const ended = items.filter(({ completed_at: at }) => at !== null).length;
  return (
    <Stack gap="xs">
      <Text fw={600}>
        {items.length === COUNTED ? `The last ${COUNTED} deliveries` : 'Deliveries of the last 30 days'}
      </Text>
      <Facts
        items={{
          Deliveries: String(items.length),
          Succeeded:
            ended === 0 ? null : `${succeeded} of ${ended} that ended (${percent(succeeded, ended)})`,
          Exhausted: String(items.filter(({ status }) => status === 'exhausted').length),
          'Waiting for a retry': `${retries.length}${waiting.data?.data.cursor ? ' or more' : ''}`,
          'Next retry': <TimeAgo at={nextRetry} empty="None" />,
        }}
      />
    </Stack>
  );
}

function useDeliveries(query: { endpoint_id: string; status?: 'failed' }) {
  return api.useQuery('get', '/webhook-deliveries', { params: { query: { ...query, limit: COUNTED } } });
}

/** Rounds down, so that 100 % means that all deliveries succeeded. */
function percent(part: number, whole: number): string {
  return `${Math.floor((part / whole) * 100)} %`;
}
