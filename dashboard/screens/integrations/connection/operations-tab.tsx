import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan, useTimeZone } from '../../../api/session';
import { type Filter, FilterBar, readFilters } from '../../../parts/list/filters';
import { PagedTable } from '../../../parts/record/paged-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { useUrlSearch } from '../../../parts/url/use-url';
import { TimeAgo } from '../../../parts/values/time';
import type { Connection } from '../vendors/vendor-kinds';
import { ReplayDialog } from './replay-dialog';

const STATES: Record<Schemas['OutboundOperationState'], string> = {
  due: 'Waits',
  doing: 'Running',
  done: 'Accepted',
  waiting: 'Waits for another',
  dead: 'Given up',
};

const FILTERS: readonly Filter[] = [
  {
    name: 'state',
    label: 'State',
    kind: 'choice',
    options: Object.entries(STATES).map(([value, label]) => ({ value, label })),
  },
];

/** For each state, the word that gives StatusBadge the right tone. */
const BADGES: Record<Schemas['OutboundOperationState'], string> = {
  due: 'pending',
  doing: 'running',
  done: 'accepted',
  waiting: 'pending',
  dead: 'failed',
};

/** The writes to the vendor. */
export function OperationsTab({ connection }: { connection: Connection }) {
  const [isReplaying, setReplaying] = useState(false);
  const query = readFilters(FILTERS, useUrlSearch(), useTimeZone()) as {
    state?: Schemas['OutboundOperationState'];
  };
  const isAdmin = useCan('admin');
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <FilterBar filters={FILTERS} />
        {isAdmin && connection.status !== 'revoked' && (
          <Button variant="default" size="xs" onClick={() => setReplaying(true)}>
            Replay
          </Button>
        )}
      </Group>
      <PagedTable<Schemas['OutboundOperation']>
        label="Operations"
        queryKey={['/connections/operations', connection.id, query]}
        readPage={async (cursor) => {
          const { data } = await client.GET('/connections/{id}/operations', {
            params: {
              path: { id: connection.id },
              query: { ...query, limit: 50, ...(cursor ? { cursor } : {}) },
            },
          });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="There are no such writes. Finished ones are kept for 30 days."
        columns={[
          { header: 'Created', render: ({ created_at: at }) => <TimeAgo at={at} /> },
          { header: 'Write', render: ({ verb, kind }) => humanize(`${verb} ${kind}`) },
          {
            header: 'State',
            render: ({ state }) => <StatusBadge status={BADGES[state]} label={STATES[state]} />,
          },
          { header: 'Attempts', align: 'right', render: ({ attempts }) => attempts },
          { header: 'Next attempt', render: ({ next_at: at }) => <TimeAgo at={at} /> },
          { header: 'Vendor’s id', render: ({ external_id: id }) => (id ? <code>{id}</code> : '–') },
          { header: 'Last error', render: ({ last_error: error }) => error ?? '–' },
        ]}
      />
      {isReplaying && <ReplayDialog connection={connection} onClose={() => setReplaying(false)} />}
    </Stack>
  );
}
