import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Driver, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { DRIVER_STATUS, DUTY_CLASS } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { type FieldErrors, FormDialog } from '../../../parts/dialogs/form-dialog';
import { useEdits } from '../../../parts/dialogs/use-edits';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { humanize } from '../../../parts/record/status-badge';

type Draft = Schemas['DriverCreate'];
type Duty = Driver['duty_classes'][number];

const FIELDS = ['name', 'phone', 'duty_classes', 'status'];
const DUTIES = wordsOf(DUTY_CLASS);

/** Adds a driver, and then opens the record. */
export function NewDriver({ onOpen, onClose }: { onOpen: (id: string) => void; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ name: '', duty_classes: ['light'] });
  const write = useWrite(
    (headers, body: Draft) => client.POST('/drivers', { params: { header: headers }, body }),
    { done: ({ name }) => `${name} was added` },
  );
  const submit = async () => {
    const created = await write.run(draft);
    if (!created) return;
    onClose();
    onOpen(created.id);
  };
  return (
    <FormDialog
      title="New driver"
      submitLabel="Add driver"
      fields={FIELDS}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <DriverFields draft={draft} onEdit={(patch) => setDraft({ ...draft, ...patch })} errors={errors} />
      )}
    </FormDialog>
  );
}

/** Changes the fields that differ from the shown version. */
export function EditDriver({ driver, onClose }: { driver: Driver; onClose: () => void }) {
  const { opened, onProblem } = useOpenedVersion(driver);
  const { draft, edits, edit } = useEdits<Draft>(opened);
  const write = useWrite(
    (headers, body: Schemas['DriverPatch']) =>
      client.PATCH('/drivers/{id}', {
        params: { path: { id: driver.id }, header: { ...headers, ...ifMatch(opened) } },
        body,
      }),
    { done: ({ name }) => `${name} was saved`, onProblem },
  );
  const submit = async () => {
    if (Object.keys(edits).length === 0 || (await write.run(edits))) onClose();
  };
  return (
    <FormDialog
      title={`Edit ${driver.name}`}
      submitLabel="Save"
      fields={FIELDS}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <DriverFields draft={draft} onEdit={edit} errors={errors} />
          <NativeSelect
            label="Status"
            description="Only active drivers are offered for trucks and work orders. Past work orders keep the name."
            data={wordsOf(DRIVER_STATUS).map((value) => ({ value, label: humanize(value) }))}
            value={draft.status}
            error={errors.status}
            onChange={(event) => edit({ status: event.currentTarget.value as Driver['status'] })}
          />
        </>
      )}
    </FormDialog>
  );
}

function DriverFields({
  draft,
  onEdit: set,
  errors,
}: {
  draft: Draft;
  onEdit: (patch: Partial<Draft>) => void;
  errors: FieldErrors;
}) {
  return (
    <>
      <TextInput
        data-autofocus
        label="Name"
        required
        maxLength={200}
        autoComplete="off"
        value={draft.name}
        error={errors.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TextInput
        label="Phone"
        type="tel"
        maxLength={32}
        autoComplete="off"
        value={draft.phone ?? ''}
        error={errors.phone}
        onChange={(event) => set({ phone: event.currentTarget.value || null })}
      />
      <Checkbox.Group
        label="May drive"
        value={draft.duty_classes ?? []}
        error={errors.duty_classes}
        onChange={(chosen) => set({ duty_classes: DUTIES.filter((duty: Duty) => chosen.includes(duty)) })}
      >
        <Group gap="md" mt={4}>
          {DUTIES.map((duty) => (
            <Checkbox key={duty} value={duty} label={humanize(duty)} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  );
}
