import { Stack, Title } from '@mantine/core';
import { ChangeValue } from '../../parts/record/change-value';
import { RecordTable } from '../../parts/record/record-table';
import { humanize } from '../../parts/record/status-badge';

/** One change, in the format that approvals and 409 responses share. */
export interface ShownChange {
  field?: string;
  from?: unknown;
  to?: unknown;
  changed_by?: string;
}

/** The changes as a table. Omits the hash, because it means nothing to a person. */
export function ChangeTable({ label, changes }: { label: string; changes: readonly ShownChange[] }) {
  const rows = changes
    .filter(({ field }) => field !== undefined && field !== 'hash' && field !== 'payload')
    .map((change, index) => ({ ...change, field: change.field ?? '', position: index }));
  if (rows.length === 0) return null;
  return (
    <Stack gap={4}>
      <Title order={2} size="h5">
        {label}
      </Title>
      <RecordTable
        label={label}
        rows={rows}
        rowKey={({ position }) => String(position)}
        empty=""
        columns={[
          { header: 'What', render: ({ field }) => nameField(field) },
          { header: 'Before', render: ({ field, from }) => <ChangeValue field={field} value={from} /> },
          { header: 'Now', render: ({ field, to }) => <ChangeValue field={field} value={to} /> },
          { header: 'By', render: ({ changed_by: by }) => by ?? '–' },
        ]}
      />
    </Stack>
  );
}

function nameField(field: string): string {
  if (field === 'record_version') return 'Version of the invoice';
  return humanize(field.replace(/_(cents|id)$/, '')).replace('Po number', 'PO number');
}
