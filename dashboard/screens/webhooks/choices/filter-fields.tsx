import { Select } from '../../../parts/choices/select';
import { useEndpoints } from './endpoint-names';
import { listTypeFilters, useEventTypes } from './event-types';

interface ChoiceProps {
  value: string | null;
  error: string | undefined;
  onChange: (value: string | null) => void;
}

export function EndpointSelect({ value, error, onChange }: ChoiceProps) {
  const endpoints = useEndpoints();
  return (
    <Select
      label="Endpoint"
      placeholder="All endpoints"
      clearable
      data={(endpoints ?? []).map(({ id, url }) => ({ value: id, label: url }))}
      value={value}
      error={error}
      onChange={onChange}
    />
  );
}

export function EventTypeSelect({ value, error, onChange }: ChoiceProps) {
  const { data } = useEventTypes();
  return (
    <Select
      label="Event type"
      placeholder="All types"
      clearable
      searchable
      data={listTypeFilters(data?.data.items ?? [])}
      value={value}
      error={error}
      onChange={onChange}
    />
  );
}
