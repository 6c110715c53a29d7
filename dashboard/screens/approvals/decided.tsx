import { Text } from '@mantine/core';
import { api } from '../../api/client';
import { useCan, useSession } from '../../api/session';
import { humanize } from '../../parts/record/status-badge';
import { TimeAgo } from '../../parts/values/time';
import type { Approval } from './approval-text';

/** "Approved by Dana 1 min. ago", or what else has ended the approval. */
export function Decided({ approval }: { approval: Approval }) {
  const name = useDecider(approval);
  const { status, decided_by: by, decided_at: at, expires_at: end } = approval;
  return (
    <Text size="sm" role="status">
      {humanize(status)} {by && `by ${name} `}
      {at ? <TimeAgo at={at} /> : status === 'expired' && <TimeAgo at={end} />}
    </Text>
  );
}

/** The name of the person who decided. The approval has only the id; the audit log has the name. */
function useDecider({ id, decided_by: decider }: Approval): string {
  const { data: session } = useSession();
  const isAdmin = useCan('admin');
  const isMe = session !== undefined && session.user.id === decider;
  const { data } = api.useQuery(
    'get',
    '/audit-log',
    { params: { query: { entity_type: 'approval', entity_id: id, actor: decider ?? '', limit: 1 } } },
    { enabled: isAdmin && decider !== null && !isMe, staleTime: 60_000 },
  );
  if (isMe) return session.user.name;
  return data?.data.items[0]?.actor.name ?? 'another person';
}
