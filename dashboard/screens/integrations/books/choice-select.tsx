import type { Schemas } from '../../../api/records';
import { Select } from '../../../parts/choices/select';
import { nameChoice } from './use-choices';

/**
 * A select of accounts or tax codes. It also offers the chosen id if the vendor does not list it,
 * so that the person sees what must be replaced.
 */
export function ChoiceSelect({
  label,
  description,
  choices,
  value,
  error,
  onValue,
}: {
  label: string;
  description?: string;
  choices: readonly Schemas['Choice'][];
  value: string | undefined;
  error?: string | undefined;
  onValue: (value: string | undefined) => void;
}) {
  const isListed = value === undefined || choices.some(({ id }) => id === value);
  const data = choices.map(({ id, name }) => ({ value: id, label: name }));
  if (!isListed) data.push({ value, label: nameChoice(value, choices) });
  return (
    <Select
      label={label}
      {...(description ? { description } : {})}
      data={data}
      value={value ?? null}
      error={error}
      placeholder="None"
      searchable
      clearable
      nothingFoundMessage="The vendor lists no such entry"
      onChange={(next) => onValue(next ?? undefined)}
    />
  );
}
