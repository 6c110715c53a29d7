import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { client, ifMatch } from '../../../api/client';
import type { Driver, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { DRIVER_STATUS, DUTY_CLASS } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { type DraftFields, EditRecordForm, NewRecordForm } from '../../../parts/dialogs/record-forms';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { humanize } from '../../../parts/record/status-badge';

type Draft = Schemas['DriverCreate'];
type Duty = Driver['duty_classes'][number];

const FIELDS = ['name', 'phone', 'duty_classes', 'status'];
const DUTIES = wordsOf(DUTY_CLASS);

/** Adds a driver, and then opens the record. */
export function NewDriver({ onOpen, onClose }: { onOpen: (id: string) => void; onClose: () => void }) {
  const write = useWrite(
    (headers, body: Draft) => client.POST('/drivers', { params: { header: headers }, body }),
    { done: ({ name }) => `${name} was added` },
  );
  return (
    <NewRecordForm<Draft>
      title="New driver"
      submitLabel="Add driver"
      fields={FIELDS}
      initial={{ name: '', duty_classes: ['light'] }}
      write={write}
      onOpen={onOpen}
      onClose={onClose}
    >
      {(form) => <DriverFields {...form} />}
    </NewRecordForm>
  );
}

/** Changes a driver. */
export function EditDriver({ driver, onClose }: { driver: Driver; onClose: () => void }) {
  const { opened, onProblem } = useOpenedVersion(driver);
  const write = useWrite(
    (headers, body: Schemas['DriverPatch']) =>
      client.PATCH('/drivers/{id}', {
        params: { path: { id: driver.id }, header: { ...headers, ...ifMatch(opened) } },
        body,
      }),
    { done: ({ name }) => `${name} was saved`, onProblem },
  );
  return (
    <EditRecordForm<Draft>
      title={`Edit ${driver.name}`}
      fields={FIELDS}
      opened={opened}
      write={write}
      onClose={onClose}
    >
      {(form) => (
        <>
          <DriverFields {...form} />
          <NativeSelect
            label="Status"
            description="Only active drivers are offered for trucks and work orders. Past work orders keep the name."
            data={wordsOf(DRIVER_STATUS).map((value) => ({ value, label: humanize(value) }))}
            value={form.draft.status}
            error={form.errors.status}
            onChange={(event) => form.onEdit({ status: event.currentTarget.value as Driver['status'] })}
          />
        </>
      )}
    </EditRecordForm>
  );
}

function DriverFields({ draft, onEdit: set, errors }: DraftFields<Draft>) {
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
