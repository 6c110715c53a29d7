import { Button, Group, NativeSelect, NumberInput, SimpleGrid, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas, Truck } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { DriverSelect } from '../../../parts/choices/driver-select';
import { nameTruck } from '../../../parts/choices/name-truck';
import { type FieldErrors, FormDialog } from '../../../parts/dialogs/form-dialog';
import {
  blocksDispatch,
  buildInspection,
  type CheckedItem,
  countListedDefects,
  createDraft,
  type InspectionDraft,
  isComplete,
} from './inspection-draft';
import { ChecklistItem, OtherDefects } from './inspection-findings';
import { PhotoFields } from './photo-fields';

const KINDS = [
  { value: 'pre_trip', label: 'Pre-trip: before a shift' },
  { value: 'post_trip', label: 'Post-trip: after a shift' },
];
const FIELDS = ['kind', 'driver_id', 'odometer_miles', 'notes'];

const componentPath = (index: number) => `defects[${index}].component`;
const photoPath = (index: number) => `photos[${index}].url`;

/** The fault of a field, with the label that people see instead of the API's path. */
function readFault(errors: FieldErrors, path: string, label: string): string | undefined {
  return errors[path]?.replaceAll(path, label);
}

type Edit = (patch: Partial<InspectionDraft>) => void;

/** Files an inspection that somebody did on paper or by phone. */
export function FileInspection({ truck, onClose }: { truck: Truck; onClose: () => void }) {
  const [draft, setDraft] = useState(() => createDraft(truck));
  const write = useWrite(
    (header, body: Schemas['InspectionCreate']) => client.POST('/inspections', { params: { header }, body }),
    { done: `The inspection of ${nameTruck(truck)} is filed` },
  );
  const edit: Edit = (patch) => {
    // A fault names a defect or a photo by its place, and the places change with their number.
    const edited = { ...draft, ...patch };
    const isMoved =
      countDefects(edited) !== countDefects(draft) || edited.photos.length !== draft.photos.length;
    if (isMoved && write.problem) write.reset();
    setDraft((before) => ({ ...before, ...patch }));
  };
  const submit = async () => {
    if (await write.run(buildInspection(truck.id, draft))) onClose();
  };
  const listed = countListedDefects(draft);
  return (
    <FormDialog
      title={`File an inspection of ${nameTruck(truck)}`}
      submitLabel="File inspection"
      fields={[
        ...FIELDS,
        ...draft.others.map((_, index) => componentPath(listed + index)),
        ...draft.photos.map((_, index) => photoPath(index)),
      ]}
      write={write}
      size="lg"
      isLong
      canSubmit={isComplete(draft)}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <GeneralFields draft={draft} errors={errors} onEdit={edit} />
          <Checklist items={draft.items} onItems={(items) => edit({ items })} />
          <OtherDefects
            defects={draft.others}
            errors={draft.others.map((_, index) => readFault(errors, componentPath(listed + index), 'Part'))}
            onDefects={(others) => edit({ others })}
          />
          <PhotoFields
            photos={draft.photos}
            errors={draft.photos.map((_, index) => readFault(errors, photoPath(index), 'Link'))}
            onPhotos={(photos) => edit({ photos })}
          />
          <Textarea
            label="Notes"
            autosize
            minRows={2}
            maxLength={5000}
            value={draft.notes}
            error={errors.notes}
            onChange={(event) => edit({ notes: event.currentTarget.value })}
          />
          <Text size="sm" role="status">
            {describeEffect(draft)}
          </Text>
        </>
      )}
    </FormDialog>
  );
}

function GeneralFields({
  draft,
  errors,
  onEdit,
}: {
  draft: InspectionDraft;
  errors: FieldErrors;
  onEdit: Edit;
}) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <NativeSelect
        data-autofocus
        label="Kind"
        data={KINDS}
        value={draft.kind}
        error={errors.kind}
        onChange={(event) => onEdit({ kind: event.currentTarget.value as InspectionDraft['kind'] })}
      />
      <DriverSelect
        id={draft.driver_id}
        error={errors.driver_id}
        onChange={(id) => onEdit({ driver_id: id })}
      />
      <NumberInput
        label="Odometer in miles"
        hideControls
        allowDecimal={false}
        allowNegative={false}
        value={draft.odometer_miles ?? ''}
        error={errors.odometer_miles}
        onChange={(value) => onEdit({ odometer_miles: value === '' ? null : Number(value) })}
      />
    </SimpleGrid>
  );
}

function Checklist({
  items,
  onItems,
}: {
  items: readonly CheckedItem[];
  onItems: (items: CheckedItem[]) => void;
}) {
  const setAt = (index: number, patch: Partial<CheckedItem>) =>
    onItems(items.map((item, place) => (place === index ? { ...item, ...patch } : item)));
  const answerRest = () =>
    onItems(items.map((item) => (item.finding === '' ? { ...item, finding: 'ok' as const } : item)));
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {items.map((item, index) => (
          <ChecklistItem key={item.key} item={item} onItem={(patch) => setAt(index, patch)} />
        ))}
      </SimpleGrid>
      <Group>
        <Button size="xs" variant="default" onClick={answerRest}>
          All others are in order
        </Button>
      </Group>
    </>
  );
}

function countDefects(draft: InspectionDraft): number {
  return countListedDefects(draft) + draft.others.length;
}

function describeEffect(draft: InspectionDraft): string {
  if (!isComplete(draft)) return 'Say for each part what was found.';
  return blocksDispatch(draft)
    ? 'The truck cannot be dispatched until the defect that takes it out of service is resolved.'
    : 'Nothing in this inspection blocks the dispatch of the truck.';
}
