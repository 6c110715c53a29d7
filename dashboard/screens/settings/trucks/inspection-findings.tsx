import { Button, Fieldset, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { DEFECT_SEVERITY } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { humanize } from '../../../parts/record/status-badge';
import { type CheckedItem, type Finding, isDefect, type OtherDefect } from './inspection-draft';

const SEVERITIES = wordsOf(DEFECT_SEVERITY);
const FINDINGS: { value: Finding; label: string }[] = [
  { value: '', label: 'Choose' },
  { value: 'ok', label: 'In order' },
  ...SEVERITIES.map((value) => ({ value, label: `Defect: ${humanize(value).toLowerCase()}` })),
  { value: 'na', label: 'Does not apply' },
];

/** Asks what was found at a part of the truck, and for a note about a defect. */
export function ChecklistItem({
  item: { label, finding, note },
  onItem,
}: {
  item: CheckedItem;
  onItem: (patch: Partial<CheckedItem>) => void;
}) {
  return (
    <Stack gap={4}>
      <NativeSelect
        label={label}
        required
        data={FINDINGS}
        {...(isDefect(finding) ? { description: DEFECT_SEVERITY[finding] } : {})}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={finding}
        onChange={(event) => onItem({ finding: event.currentTarget.value as Finding })}
      />
      {isDefect(finding) && (
        <TextInput
          aria-label={`Note on ${label}`}
          placeholder="What is wrong"
          maxLength={2000}
          value={note}
          onChange={(event) => onItem({ note: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

/** The defects of parts that are not in the checklist. A person can add and remove them. */
export function OtherDefects({
  defects,
  errors,
  onDefects,
}: {
  defects: readonly OtherDefect[];
  /** The fault of each defect's part, in the sequence of the defects. */
  errors: readonly (string | undefined)[];
  onDefects: (defects: OtherDefect[]) => void;
}) {
  const [added, setAdded] = useState(0);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    setAdded(added + 1);
    onDefects([...defects, { row: added + 1, component: '', severity: 'minor' }]);
  };
  const remove = (row: number) => {
    onDefects(defects.filter((defect) => defect.row !== row));
    addButton.current?.focus();
  };
  return (
    <Stack gap="xs">
      {defects.map((defect, index) => (
        <OtherDefectFields
          key={defect.row}
          number={index + 1}
          defect={defect}
          error={errors[index]}
          onDefect={(changed) => onDefects(defects.map((old) => (old.row === defect.row ? changed : old)))}
          onRemove={() => remove(defect.row)}
        />
      ))}
      <Button
        ref={addButton}
        size="xs"
        variant="default"
        w="fit-content"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={add}
      >
        Add another defect
      </Button>
    </Stack>
  );
}

function OtherDefectFields({
  number,
  defect,
  error,
  onDefect,
  onRemove,
}: {
  number: number;
  defect: OtherDefect;
  error: string | undefined;
  onDefect: (defect: OtherDefect) => void;
  onRemove: () => void;
}) {
  const part = useRef<HTMLInputElement>(null);
  useEffect(() => part.current?.focus(), []);
  return (
    <Fieldset legend={`Other defect ${number}`} p="xs">
      <Group align="flex-start" gap="xs">
        <TextInput
          ref={part}
          label="Part"
          required
          maxLength={200}
          flex="1 1 12rem"
          value={defect.component}
          error={error}
          onChange={(event) => onDefect({ ...defect, component: event.currentTarget.value })}
        />
        <NativeSelect
          label="Severity"
          data={SEVERITIES.map((value) => ({ value, label: humanize(value) }))}
          description={DEFECT_SEVERITY[defect.severity]}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={defect.severity}
          onChange={(event) =>
            onDefect({ ...defect, severity: event.currentTarget.value as OtherDefect['severity'] })
          }
        />
      </Group>
      <Button size="compact-sm" variant="default" mt="xs" onClick={onRemove}>
        {`Remove defect ${number}`}
      </Button>
    </Fieldset>
  );
}
