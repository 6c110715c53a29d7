import { Text } from '@mantine/core';
import { humanize } from '../../parts/record/status-badge';
import { TimeAgo } from '../../parts/values/time';
import type { Approval } from './approval-text';

/** Describes how an approval ended, for example "Approved by Dana 1 min. ago". */
export function Decided({ approval }: { approval: Approval }) {
  const { status, decided_by: by, decided_by_name: name, decided_at: at, expires_at: end } = approval;
  return (
    <Text size="sm" role="status">
      {humanize(status)} {by && `by ${name ?? 'another person'} `}
      {at ? <TimeAgo at={at} /> : status === 'expired' && <TimeAgo at={end} />}
    </Text>
  );
}
