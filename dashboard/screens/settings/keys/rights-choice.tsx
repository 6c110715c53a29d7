import { Checkbox, Stack } from '@mantine/core';
import { wordsOf } from '../../../parts/choices/words';

/** One right that a key can have. */
export interface Right<Name extends string> {
  name: Name;
  /** Describes what a key with this right may do. */
  allows: string;
}

/** Lists the rights of a vocabulary. The API describes what each right allows. */
export function listRights<Name extends string>(vocabulary: Readonly<Record<Name, string>>): Right<Name>[] {
  return wordsOf(vocabulary).map((name) => ({ name, allows: vocabulary[name] }));
}

/** Chooses rights. Each right is a checkbox with a description. */
export function RightsChoice<Name extends string>({
  label,
  description,
  rights,
  chosen,
  isOffered = () => true,
  error,
  onChosen,
}: {
  label: string;
  description: string;
  rights: readonly Right<Name>[];
  chosen: readonly Name[];
  /** Returns false for a right that the key cannot have now. */
  isOffered?: (name: Name) => boolean;
  error: string | undefined;
  onChosen: (names: Name[]) => void;
}) {
  return (
    <Checkbox.Group
      label={label}
      description={description}
      error={error}
      value={[...chosen]}
      onChange={(names) => onChosen(names as Name[])}
    >
      <Stack gap="xs" my="xs">
        {rights.map(({ name, allows }) => (
          <Checkbox key={name} value={name} label={name} description={allows} disabled={!isOffered(name)} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
