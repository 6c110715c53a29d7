import { Stack, Text } from '@mantine/core';
import { client } from '../../api/client';
import type { Schemas } from '../../api/records';
import { useCan } from '../../api/session';
import { WITHOUT_DRY_RUNS } from '../choices/audit-outcomes';
import { TimeAgo } from '../values/time';
import { ChangeValue } from './change-value';
import { PagedTable } from './paged-table';
import { humanize, StatusBadge } from './status-badge';

type Entry = Schemas['AuditEntry'];

/**
 * The changes of a record and their actors, from the audit log, newest first.
 * @param entityType kind of the record in the audit log, such as `work_order`
 */
export function RecordHistory({ entityType, id }: { entityType: string; id: string }) {
  const canRead = useCan('admin');
  if (!canRead) return <Text c="dimmed">Only people with the right admin may read the history.</Text>;
  return (
    <PagedTable<Entry>
      label="History"
      queryKey={['/audit-log', entityType, id]}
      readPage={async (cursor) => {
        const query = {
          entity_type: entityType,
          entity_id: id,
          outcome: WITHOUT_DRY_RUNS,
          limit: 50,
          ...(cursor ? { cursor } : {}),
        };
        const { data } = await client.GET('/audit-log', { params: { query } });
        return data?.data ?? { items: [], cursor: null };
      }}
      rowKey={(entry) => entry.id}
      empty="The audit log has no entry about this record."
      columns={[
        { header: 'Time', render: ({ occurred_at: at }) => <TimeAgo at={at} /> },
        { header: 'Who', render: ({ actor }) => actor.name ?? humanize(actor.type) },
        { header: 'What', render: (entry) => <What entry={entry} /> },
        { header: 'Changes', render: ({ changes }) => <Changes changes={changes} /> },
        { header: 'Through', render: ({ source, tool }) => tool ?? describeSource(source) },
      ]}
    />
  );
}

function What({ entry: { action, outcome } }: { entry: Entry }) {
  const verb = humanize(action.split('.').pop() ?? action);
  return outcome === 'ok' ? (
    verb
  ) : (
    <Stack gap={2} align="flex-start">
      {verb}
      <StatusBadge status={outcome} />
    </Stack>
  );
}

function Changes({ changes }: { changes: Entry['changes'] }) {
  if (changes.length === 0) return <>–</>;
  return (
    <Stack gap={2}>
      {changes.map(({ field, from, to }) => (
        <Text key={field} size="sm">
          {nameField(field)}:{' '}
          {from !== null && from !== undefined && (
            <>
              <ChangeValue field={field} value={from} /> →{' '}
            </>
          )}
          <ChangeValue field={field} value={to} />
        </Text>
      ))}
    </Stack>
  );
}

/** Returns a field's name for people: "Customer" for `customer_id`, "VIN" for `vin`. */
function nameField(field: string): string {
  return field === 'vin' ? 'VIN' : humanize(field.replace(/_(id|cents)$/, ''));
}

function describeSource(source: Schemas['AuditSource']): string {
  const names = {
    rest: 'REST',
    mcp: 'Agent',
    dashboard: 'Dashboard',
    webhook: 'Webhook',
    job: 'The service',
  };
  return names[source];
}
