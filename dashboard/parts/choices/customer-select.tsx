import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../api/client';
import { Select } from './select';

/** Chooses a customer by name, with search on the server. */
export function CustomerSelect({
  label = 'Customer',
  placeholder = 'Any',
  value,
  onChange,
  error,
  isClearable = true,
  size,
}: {
  label?: string;
  /** The text in the field while no customer is chosen. */
  placeholder?: string;
  value: string | null;
  onChange: (id: string | null) => void;
  error?: string | undefined;
  isClearable?: boolean;
  size?: string;
}) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 250);
  const found = api.useQuery(
    'get',
    '/customers',
    { params: { query: { limit: 50, ...(search.trim().length > 1 ? { search: search.trim() } : {}) } } },
    { placeholderData: (previous) => previous },
  );
  const chosen = api.useQuery(
    'get',
    '/customers/{id}',
    { params: { path: { id: value ?? '' } } },
    { enabled: value !== null && value !== '' },
  );
  const customers = new Map((found.data?.data.items ?? []).map(({ id, company_name }) => [id, company_name]));
  if (chosen.data) customers.set(chosen.data.id, chosen.data.company_name);
  return (
    <Select
      label={label}
      placeholder={placeholder}
      searchable
      clearable={isClearable}
      nothingFoundMessage="No customer has this name"
      data={[...customers].map(([id, name]) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      // Show all options, because the server has already searched.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      error={error}
      comboboxProps={{ withinPortal: true }}
      {...(size ? { size } : {})}
    />
  );
}
