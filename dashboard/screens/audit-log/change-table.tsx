import { Group } from '@mantine/core';
import { Minus, PencilLine, Plus } from 'lucide-react';
import type { Schemas } from '../../api/records';
import { ChangeValue } from '../../parts/record/change-value';
import { RecordTable } from '../../parts/record/record-table';
import { humanize } from '../../parts/record/status-badge';

type Change = Schemas['AuditEntry']['changes'][number];

const KINDS = {
  added: { word: 'Added', Icon: Plus, color: 'var(--tone-good)' },
  removed: { word: 'Removed', Icon: Minus, color: 'var(--tone-bad)' },
  changed: { word: 'Changed', Icon: PencilLine, color: 'var(--tone-busy)' },
} as const;

/**
 * The values of each field before and after the change. Each field is marked as added, removed or
 * changed.
 */
export function ChangeTable({ changes }: { changes: readonly Change[] }) {
  return (
    <RecordTable<Change>
      label="Changes"
      rows={changes}
      rowKey={({ field }) => field}
      empty="This entry lists no changed fields."
      columns={[
        { header: 'Field', render: ({ field }) => humanize(field.replace(/_cents$/, '')) },
        { header: 'Change', render: (change) => <Kind change={change} /> },
        { header: 'Before', render: ({ field, from }) => <ChangeValue field={field} value={from} /> },
        { header: 'After', render: ({ field, to }) => <ChangeValue field={field} value={to} /> },
      ]}
    />
  );
}

function Kind({ change }: { change: Change }) {
  const { word, Icon, color } = KINDS[readKind(change)];
  return (
    <Group gap={4} wrap="nowrap">
      <Icon size={14} aria-hidden color={color} />
      {word}
    </Group>
  );
}

function readKind({ from, to }: Change): keyof typeof KINDS {
  if (from === null || from === undefined) return 'added';
  return to === null || to === undefined ? 'removed' : 'changed';
}
