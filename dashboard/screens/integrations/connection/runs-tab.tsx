import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { PagedTable } from '../../../parts/record/paged-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { TimeAgo } from '../../../parts/values/time';

/** The reads from the vendor. Successful reads without changes are not stored. */
export function RunsTab({ connectionId }: { connectionId: string }) {
  return (
    <PagedTable<Schemas['SyncRun']>
      label="Runs"
      queryKey={['/connections/runs', connectionId]}
      readPage={async (cursor) => {
        const query = { limit: 50, ...(cursor ? { cursor } : {}) };
        const { data } = await client.GET('/connections/{id}/runs', {
          params: { path: { id: connectionId }, query },
        });
        return data?.data ?? { items: [], cursor: null };
      }}
      rowKey={({ id }) => id}
      empty="No run of the last 30 days found anything new."
      columns={[
        { header: 'Started', render: ({ started_at: at }) => <TimeAgo at={at} /> },
        { header: 'Read', render: ({ stream }) => nameStream(stream) },
        { header: 'State', render: ({ state }) => <StatusBadge status={state} /> },
        { header: 'Changes', align: 'right', render: ({ changes }) => changes },
        { header: 'Known already', align: 'right', render: ({ dropped }) => dropped },
        { header: 'Took', align: 'right', render: (run) => describeDuration(run) },
        { header: 'Error', render: ({ error }) => error ?? '–' },
      ]}
    />
  );
}

/**
 * Names the stream that a run has read. The stream `describe` is the connection test, which reads
 * the vendor's facts about the account.
 */
function nameStream(stream: string): string {
  return stream === 'describe' ? 'Test' : humanize(stream);
}

function describeDuration({ started_at: from, ended_at: to }: Schemas['SyncRun']): string {
  if (to === null) return '–';
  const ms = Date.parse(to) - Date.parse(from);
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
