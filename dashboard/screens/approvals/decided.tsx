import { Text } from '@mantine/core';
import { humanize } from '../../parts/record/status-badge';
import { TimeAgo } from '../../parts/values/time';
import type { Approval } from './approval-text';

/** "Approved by Dana 1 min. ago", or what else has ended the approval. */
export function Decided({ approval }: { approval: Approval }) {
  const { status, decided_by: by, decided_by_name: name, decided_at: at, expires_at: end } = approval;
  return (
    <Text size="sm" role="status">
      {humanize(status)} {by && `by ${name ?? 'another person'} `}
      {at ? <TimeAgo at={at} /> : status === 'expired' && <TimeAgo at={end} />}
    </Text>
  );
}
