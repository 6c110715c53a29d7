import { Radio, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { RecordTable } from '../../../parts/record/record-table';
import { formatCents } from '../../../parts/values/money';
import { nameField } from '../vendors/vendor-schema';
import { ISSUE_KINDS, resolutionsOf } from './issue-wording';

type Issue = Schemas['SyncIssue'];

/** Resolves an issue. Shows both versions of the record side by side. */
export function ResolveDialog({ issue: newest, onClose }: { issue: Issue; onClose: () => void }) {
  const { opened: issue, onProblem } = useOpenedVersion(newest);
  const [resolution, setResolution] = useState<Schemas['IssueResolution']>();
  const [note, setNote] = useState('');
  const write = useWrite(
    (headers, body: Schemas['SyncIssueResolve']) =>
      client.POST('/sync-issues/{id}/resolve', {
        params: { path: { id: issue.id }, header: { ...headers, ...ifMatch(issue) } },
        body,
      }),
    { done: 'Issue resolved', onProblem },
  );
  const submit = async () => {
    if (!resolution) return;
    const text = note.trim();
    if (await write.run({ resolution, ...(text ? { note: text } : {}) })) onClose();
  };
  return (
    <FormDialog
      title={`Resolve: ${ISSUE_KINDS[issue.kind]}`}
      submitLabel="Resolve"
      fields={['resolution', 'note']}
      write={write}
      canSubmit={resolution !== undefined}
      size="lg"
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text>{issue.message}</Text>
          <Sides issue={issue} />
          <Radio.Group
            label="Decision"
            value={resolution ?? null}
            error={errors.resolution}
            onChange={(value) => setResolution(value as Schemas['IssueResolution'])}
          >
            <Stack gap="xs" mt={4}>
              {resolutionsOf(issue).map(({ name, label, effect }) => (
                <Radio key={name} value={name} label={label} description={effect} />
              ))}
            </Stack>
          </Radio.Group>
          <Textarea
            label="Note"
            autosize
            minRows={2}
            value={note}
            error={errors.note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

/** The fields in which both versions differ. */
function Sides({ issue: { ours, theirs } }: { issue: Issue }) {
  if (ours === null && theirs === null) return null;
  const names = [...new Set([...Object.keys(ours ?? {}), ...Object.keys(theirs ?? {})])];
  return (
    <RecordTable
      label="Both sides"
      rows={names}
      rowKey={(name) => name}
      empty="The sides have no fields."
      columns={[
        { header: 'Field', render: (name) => nameField(name.replace(/_cents$/, '')) },
        { header: 'Here', render: (name) => show(name, ours?.[name]) },
        { header: 'At the vendor', render: (name) => show(name, theirs?.[name]) },
      ]}
    />
  );
}

function show(name: string, value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (name.endsWith('_cents') && typeof value === 'number') return formatCents(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
