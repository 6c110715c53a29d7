import { Button, Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCan } from '../../../api/session';
import { type Page, PagedTable } from '../../../parts/record/paged-table';
import type { Column } from '../../../parts/record/record-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';
import { type AnyKey, isIdle, maskKey, readKeyEnvironment, readKeyState } from './key-record';

/** The keys of one kind, newest first. The list keeps keys that no longer work, for the record. */
export function KeyList<Key extends AnyKey>({
  label,
  path,
  rightsHeader,
  rights,
  readPage,
  onRoll,
  onRevoke,
}: {
  label: string;
  /** The path of the list, which identifies it in the cache. */
  path: string;
  /** The header of the column with the rights of the keys. */
  rightsHeader: string;
  rights: (key: Key) => ReactNode;
  readPage: (cursor: string | undefined) => Promise<Page<Key>>;
  onRoll: (key: Key) => void;
  onRevoke: (key: Key) => void;
}) {
  const canChange = useCan('admin');
  const columns: Column<Key>[] = [
    { header: 'Name', render: ({ name }) => name },
    { header: 'Key', render: (key) => <Code style={{ whiteSpace: 'nowrap' }}>{maskKey(key)}</Code> },
    { header: rightsHeader, render: rights },
    { header: 'Environment', render: (key) => readKeyEnvironment(key) },
    { header: 'Status', render: (key) => <KeyStatus value={key} /> },
    { header: 'Last used', render: ({ last_used_at: at }) => <TimeAgo at={at} empty="Never" /> },
    { header: 'Expires', render: ({ expires_at: at }) => <TimeAgo at={at} empty="Never" /> },
    { header: 'Created', render: ({ created_at: at }) => <TimeAgo at={at} /> },
  ];
  if (canChange)
    columns.push({
      header: 'Actions',
      render: (key) =>
        readKeyState(key) === 'active' && (
          <Group gap={6} wrap="nowrap">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Roll ${key.name}`}
              onClick={() => onRoll(key)}
            >
              Roll
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Revoke ${key.name}`}
              onClick={() => onRevoke(key)}
            >
              Revoke
            </Button>
          </Group>
        ),
    });
  return (
    <PagedTable
      label={label}
      queryKey={[path]}
      readPage={readPage}
      rowKey={({ id }) => id}
      empty="There are no keys yet."
      columns={columns}
    />
  );
}

function KeyStatus({ value: key }: { value: AnyKey }) {
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge status={readKeyState(key)} />
      {isIdle(key) && <StatusBadge status="unused_for_30_days" />}
      {key.revoked_at && (
        <Text size="xs">
          <TimeAgo at={key.revoked_at} />
        </Text>
      )}
    </Stack>
  );
}
