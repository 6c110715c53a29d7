import { Stack } from '@mantine/core';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useTimeZone } from '../../../api/session';
import { FilterBar, FROM, readFilters, TO } from '../../../parts/list/filters';
import { PagedTable } from '../../../parts/record/paged-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { useUrlSearch } from '../../../parts/url/use-url';
import { TimeAgo } from '../../../parts/values/time';

const FILTERS = [FROM, TO];

/** The calls to the vendor. The service stores only the names of a body's fields. */
export function CallsTab({ connectionId }: { connectionId: string }) {
  const range = readFilters(FILTERS, useUrlSearch(), useTimeZone());
  return (
    <Stack gap="sm">
      <FilterBar filters={FILTERS} />
      <PagedTable<Schemas['ConnectionCall']>
        label="Calls"
        queryKey={['/connections/calls', connectionId, range]}
        readPage={async (cursor) => {
          const query = { ...range, limit: 50, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/connections/{id}/calls', {
            params: { path: { id: connectionId }, query },
          });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="There were no calls in this time. Calls are kept for 30 days."
        columns={[
          { header: 'Time', render: ({ created_at: at }) => <TimeAgo at={at} /> },
          {
            header: 'Request',
            render: ({ method, path }) => (
              <code>
                {method} {path}
              </code>
            ),
          },
          { header: 'Response', render: (call) => <Response call={call} /> },
          { header: 'Took', align: 'right', render: ({ total_ms: ms }) => `${ms} ms` },
          {
            header: 'Vendor’s request id',
            render: ({ vendor_request_id: id }) => (id ? <code>{id}</code> : '–'),
          },
          { header: 'Fields sent', render: ({ request_fields: names }) => names.join(', ') || '–' },
          { header: 'Fields received', render: ({ response_fields: names }) => names.join(', ') || '–' },
        ]}
      />
    </Stack>
  );
}

function Response({ call: { response_status: status, error } }: { call: Schemas['ConnectionCall'] }) {
  const isGood = status !== null && status < 400;
  return (
    <>
      <StatusBadge status={isGood ? 'succeeded' : 'failed'} /> {status}
      {error && <div>{error}</div>}
    </>
  );
}
