import { Group, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { CustomerSelect } from '../choices/customer-select';
import { Select } from '../choices/select';
import { humanize } from '../record/status-badge';
import { type Search, useUrl, useUrlSearch } from '../url/use-url';
import { endOfDay, startOfDay } from '../values/zoned-time';

/** A filter of a list. Its name is the query parameter's name, in the API and in the URL. */
export type Filter = {
  name: string;
  label: string;
} & (
  | {
      kind: 'choice';
      options: readonly (string | { value: string; label: string })[];
      /** The text of the filter while no option is chosen; "Any" by default. */
      placeholder?: string;
    }
  | { kind: 'text' }
  | { kind: 'customer' }
  /**
   * The first or the last day of a range. The API receives the start of the first day, or the start
   * of the day after the last day.
   */
  | { kind: 'from' | 'to' }
);

/** Filters that many lists share. */
export const FROM: Filter = { name: 'since', label: 'From', kind: 'from' };
export const TO: Filter = { name: 'until', label: 'To', kind: 'to' };
export const SEARCH: Filter = { name: 'search', label: 'Search', kind: 'text' };
export const IS_ACTIVE: Filter = {
  name: 'is_active',
  label: 'Status',
  kind: 'choice',
  options: [
    { value: 'true', label: 'Active' },
    { value: 'false', label: 'Inactive' },
  ],
};
export const CUSTOMER: Filter = { name: 'customer_id', label: 'Customer', kind: 'customer' };

/** Returns the query parameters of the filters that are set in the URL. */
export function readFilters(
  filters: readonly Filter[],
  search: Search,
  timeZone: string,
): Record<string, string> {
  const entries = filters.flatMap(({ name, kind }) => {
    const value = search[name];
    if (!value) return [];
    const sent =
      kind === 'from' ? startOfDay(value, timeZone) : kind === 'to' ? endOfDay(value, timeZone) : value;
    return sent === undefined ? [] : [[name, sent] as const];
  });
  return Object.fromEntries(entries);
}

export function FilterBar({ filters }: { filters: readonly Filter[] }) {
  if (filters.length === 0) return null;
  return (
    <Group gap="xs" align="flex-end" role="search" aria-label="Filters">
      {filters.map((filter) => (
        <FilterField key={filter.name} filter={filter} />
      ))}
    </Group>
  );
}

function FilterField({ filter }: { filter: Filter }) {
  const search = useUrlSearch();
  const { setSearch } = useUrl();
  const { name, label } = filter;
  const value = search[name] ?? '';
  const set = (next: string | null) => setSearch({ [name]: next ?? undefined }, { replace: true });
  if (filter.kind === 'text') return <TextFilter label={label} value={value} onValue={set} />;
  if (filter.kind === 'customer')
    return <CustomerSelect label={label} value={value || null} onChange={set} size="xs" />;
  if (filter.kind === 'choice') {
    const options = filter.options.map((option) =>
      typeof option === 'string' ? { value: option, label: humanize(option) } : option,
    );
    return (
      <Select
        label={label}
        size="xs"
        w={170}
        placeholder={filter.placeholder ?? 'Any'}
        clearable
        searchable={options.length > 8}
        data={options}
        value={value || null}
        onChange={set}
      />
    );
  }
  return (
    <TextInput
      label={label}
      size="xs"
      type="date"
      w={140}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

/** Waits for a pause in typing, so that not every letter causes a request. */
function TextFilter({
  label,
  value,
  onValue,
}: {
  label: string;
  value: string;
  onValue: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onValue(typed.trim()), 300);
    return () => clearTimeout(timer);
  }, [typed, value, onValue]);
  return (
    <TextInput
      label={label}
      size="xs"
      type="search"
      w={200}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}
