import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { SYNC_ISSUE_STATUS } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { type Filter, FilterBar } from '../../../parts/list/filters';
import { PagedTable } from '../../../parts/record/paged-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { useUrlSearch } from '../../../parts/url/use-url';
import { TimeAgo } from '../../../parts/values/time';
import { ISSUE_KINDS, nameResolution } from './issue-wording';
import { ResolveDialog } from './resolve-dialog';

type Issue = Schemas['SyncIssue'];

/** Named `issue_status`, because `status` in the URL already filters the list behind the record. */
const STATUS: Filter = {
  name: 'issue_status',
  label: 'Status',
  kind: 'choice',
  options: wordsOf(SYNC_ISSUE_STATUS),
};
const KIND: Filter = {
  name: 'kind',
  label: 'Kind',
  kind: 'choice',
  options: Object.entries(ISSUE_KINDS).map(([value, label]) => ({ value, label })),
};

/**
 * Differences between stored records and the vendor's records, and writes that the worker gave up.
 */
export function IssuesTab({ connectionId }: { connectionId: string }) {
  const [chosen, setChosen] = useState<Issue>();
  const { issue_status: status, kind } = useUrlSearch();
  const isAdmin = useCan('admin');
  const filters = {
    ...(status ? { status: status as Issue['status'] } : {}),
    ...(kind ? { kind: kind as Issue['kind'] } : {}),
  };
  return (
    <Stack gap="sm">
      <FilterBar filters={[STATUS, KIND]} />
      <PagedTable<Issue>
        label="Issues"
        queryKey={['/sync-issues', connectionId, filters]}
        readPage={async (cursor) => {
          const query = { connection_id: connectionId, ...filters, limit: 50, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/sync-issues', { params: { query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="There are no such issues."
        columns={[
          { header: 'Found', render: ({ created_at: at }) => <TimeAgo at={at} /> },
          { header: 'Kind', render: (issue) => ISSUE_KINDS[issue.kind] },
          { header: 'What happened', render: ({ message }) => message },
          { header: 'Status', render: ({ status: one }) => <StatusBadge status={one} /> },
          {
            header: 'Decision',
            render: (issue) =>
              issue.status === 'open' ? (
                isAdmin && (
                  <Button size="xs" variant="default" onClick={() => setChosen(issue)}>
                    Resolve
                  </Button>
                )
              ) : (
                <Decision issue={issue} />
              ),
          },
        ]}
      />
      {chosen && <ResolveDialog issue={chosen} onClose={() => setChosen(undefined)} />}
    </Stack>
  );
}

function Decision({ issue: { resolution, decided_by: by, decided_at: at, note } }: { issue: Issue }) {
  return (
    <Stack gap={0}>
      <Text size="sm">{resolution ? nameResolution(resolution) : 'Resolved by itself'}</Text>
      <Text size="sm" c="dimmed">
        {by} <TimeAgo at={at} />
      </Text>
      {note && <Text size="sm">{note}</Text>}
    </Stack>
  );
}
