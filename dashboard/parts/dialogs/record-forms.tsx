import { type ReactNode, useState } from 'react';
import type { Write } from '../../api/use-write';
import { type FieldErrors, FormDialog } from './form-dialog';
import { useEdits } from './use-edits';

/** What the fields of a form need. */
export interface DraftFields<Draft> {
  draft: Draft;
  onEdit: (patch: Partial<Draft>) => void;
  errors: FieldErrors;
}

interface RecordForm<Draft> {
  title: string;
  /** Names of the fields in the API. */
  fields: readonly string[];
  onClose: () => void;
  children: (form: DraftFields<Draft>) => ReactNode;
}

/**
 * A dialog that adds a record, and then opens it.
 * @param initial the values of a new form
 */
export function NewRecordForm<Draft extends object>({
  initial,
  submitLabel,
  write,
  onOpen,
  onClose,
  children,
  ...form
}: RecordForm<Draft> & {
  initial: Draft;
  submitLabel: string;
  write: Write<Draft, { id: string }>;
  onOpen: (id: string) => void;
}) {
  const [draft, setDraft] = useState(initial);
  const onEdit = (patch: Partial<Draft>) => setDraft({ ...draft, ...patch });
  const submit = async () => {
    const created = await write.run(draft);
    if (!created) return;
    onClose();
    onOpen(created.id);
  };
  return (
    <FormDialog
      {...form}
      submitLabel={submitLabel}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => children({ draft, onEdit, errors })}
    </FormDialog>
  );
}

/**
 * A dialog that changes the fields of a record that differ from the shown version.
 * @param opened the version that `write` names, of useOpenedVersion
 */
export function EditRecordForm<Draft extends object>({
  opened,
  write,
  onClose,
  children,
  ...form
}: RecordForm<Draft> & { opened: Draft; write: Write<Partial<Draft>, unknown> }) {
  const { draft, edits, edit } = useEdits(opened);
  const submit = async () => {
    if (Object.keys(edits).length === 0 || (await write.run(edits))) onClose();
  };
  return (
    <FormDialog {...form} submitLabel="Save" write={write} onSubmit={() => void submit()} onClose={onClose}>
      {(errors) => children({ draft, onEdit: edit, errors })}
    </FormDialog>
  );
}
