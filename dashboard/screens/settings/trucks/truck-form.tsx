import { NativeSelect, NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import { client, ifMatch } from '../../../api/client';
import type { Schemas, Truck } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { DUTY_CLASS, SETTABLE_TRUCK_STATUS } from '../../../generated/vocabulary';
import { DriverSelect } from '../../../parts/choices/driver-select';
import { nameTruck } from '../../../parts/choices/name-truck';
import { wordsOf } from '../../../parts/choices/words';
import { type DraftFields, EditRecordForm, NewRecordForm } from '../../../parts/dialogs/record-forms';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import { humanize } from '../../../parts/record/status-badge';

type Draft = Omit<Schemas['TruckCreate'], 'status' | 'location'> & { status?: Truck['status'] };

const TEXTS = [
  ['make', 'Make'],
  ['model', 'Model'],
  ['plate', 'Plate'],
  ['vin', 'VIN'],
] as const;
const FIELDS = ['unit_number', 'duty_class', 'status', 'driver_id', 'year', ...TEXTS.map(([name]) => name)];
const STATUSES = wordsOf(SETTABLE_TRUCK_STATUS);

/** Adds a truck, and then opens it. */
export function NewTruck({ onOpen, onClose }: { onOpen: (id: string) => void; onClose: () => void }) {
  const write = useWrite(
    (headers, body: Draft) =>
      client.POST('/trucks', { params: { header: headers }, body: body as Schemas['TruckCreate'] }),
    { done: (truck) => `${nameTruck(truck)} was added` },
  );
  return (
    <NewRecordForm<Draft>
      title="New truck"
      submitLabel="Add truck"
      fields={FIELDS}
      initial={{ unit_number: '', duty_class: 'light', status: 'available' }}
      write={write}
      onOpen={onOpen}
      onClose={onClose}
    >
      {(form) => <TruckFields {...form} />}
    </NewRecordForm>
  );
}

/** Changes a truck. */
export function EditTruck({ truck, onClose }: { truck: Truck; onClose: () => void }) {
  const { opened, onProblem } = useOpenedVersion(truck);
  const write = useWrite(
    (headers, body: Partial<Draft>) =>
      client.PATCH('/trucks/{id}', {
        params: { path: { id: truck.id }, header: { ...headers, ...ifMatch(opened) } },
        body: body as Schemas['TruckPatch'],
      }),
    { done: (saved) => `${nameTruck(saved)} was saved`, onProblem },
  );
  return (
    <EditRecordForm<Draft>
      title={`Edit ${nameTruck(truck)}`}
      fields={FIELDS}
      opened={opened}
      write={write}
      onClose={onClose}
    >
      {(form) => <TruckFields {...form} isOnJob={truck.current_work_order_id !== null} />}
    </EditRecordForm>
  );
}

function TruckFields({
  draft,
  onEdit: set,
  errors,
  isOnJob = false,
}: DraftFields<Draft> & {
  /** True while a work order determines the status, so that no person can. */
  isOnJob?: boolean;
}) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <TextInput
        data-autofocus
        label="Unit number"
        required
        maxLength={32}
        value={draft.unit_number}
        error={errors.unit_number}
        onChange={(event) => set({ unit_number: event.currentTarget.value })}
      />
      <NativeSelect
        label="Duty class"
        data={wordsOf(DUTY_CLASS).map((value) => ({ value, label: humanize(value) }))}
        description={DUTY_CLASS[draft.duty_class]}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={draft.duty_class}
        error={errors.duty_class}
        onChange={(event) => set({ duty_class: event.currentTarget.value as Draft['duty_class'] })}
      />
      <StatusField draft={draft} onEdit={set} error={errors.status} isOnJob={isOnJob} />
      <DriverSelect
        id={draft.driver_id ?? null}
        error={errors.driver_id}
        onChange={(id) => set({ driver_id: id })}
      />
      {TEXTS.map(([name, label]) => (
        <TextInput
          key={name}
          label={label}
          value={draft[name] ?? ''}
          error={errors[name]}
          onChange={(event) => set({ [name]: event.currentTarget.value || null })}
        />
      ))}
      <NumberInput
        label="Year"
        hideControls
        allowDecimal={false}
        value={draft.year ?? ''}
        error={errors.year}
        onChange={(value) => set({ year: value === '' || value === '-' ? null : Number(value) })}
      />
    </SimpleGrid>
  );
}

interface FieldProps {
  draft: Draft;
  onEdit: (patch: Partial<Draft>) => void;
  error: string | undefined;
}

function StatusField({ draft, onEdit, error, isOnJob }: FieldProps & { isOnJob: boolean }) {
  const { status = 'available' } = draft;
  const settable: readonly string[] = STATUSES;
  const shown = settable.includes(status) ? settable : [status, ...settable];
  const meaning = SETTABLE_TRUCK_STATUS[status as keyof typeof SETTABLE_TRUCK_STATUS];
  return (
    <NativeSelect
      label="Status"
      data={shown.map((value) => ({ value, label: humanize(value) }))}
      description={isOnJob ? 'Its work order determines the status' : meaning}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      disabled={isOnJob}
      value={status}
      error={error}
      onChange={(event) => onEdit({ status: event.currentTarget.value as Truck['status'] })}
    />
  );
}
