import { Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Problem } from '../../../api/problem';
import { Select } from '../../../parts/choices/select';
import { type FieldErrors, FormDialog } from '../../../parts/dialogs/form-dialog';

const CREATE = 'create';

interface Option {
  value: string;
  label: string;
}

/**
 * Chooses the record here that a listed record is, or has it created. The proposed record is chosen
 * at first, and without a proposal none is.
 */
export function LinkDialog({
  name,
  targetLabel,
  member,
  options,
  proposed,
  effect,
  createFields,
  renderCreate,
  write,
  onSubmit,
  onClose,
}: {
  /** The name of the listed record. */
  name: string;
  /** What the record here is: Truck or Driver. */
  targetLabel: string;
  /** The member of the link that names the record here. */
  member: string;
  options: readonly Option[];
  proposed: Option | undefined;
  /** Says what a link changes. */
  effect: string;
  /** The names of the fields of a new record in the API. */
  createFields: readonly string[];
  renderCreate: (errors: FieldErrors) => ReactNode;
  write: { problem: Problem | undefined; isRunning: boolean; isSaving: boolean };
  /** @param id the chosen record; undefined to create one */
  onSubmit: (id: string | undefined) => void;
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState<string | null>(proposed?.value ?? null);
  // The list of records here has a limit, and may not contain the proposed one.
  const others = options.filter(({ value }) => value !== proposed?.value);
  const noun = targetLabel.toLowerCase();
  return (
    <FormDialog
      title={`Link ${name}`}
      submitLabel="Link"
      fields={[member, ...createFields]}
      write={write}
      canSubmit={chosen !== null}
      onSubmit={() => chosen !== null && onSubmit(chosen === CREATE ? undefined : chosen)}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">{effect}</Text>
          <Select
            label={targetLabel}
            data-autofocus
            required
            searchable
            openOnFocus={false}
            nothingFoundMessage={`No ${noun} has this name`}
            data={[
              ...(proposed ? [proposed] : []),
              { value: CREATE, label: `Create a new ${noun}` },
              ...others,
            ]}
            value={chosen}
            error={errors[member]}
            onChange={setChosen}
          />
          {chosen === CREATE && renderCreate(errors)}
        </>
      )}
    </FormDialog>
  );
}
