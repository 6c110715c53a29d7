import { Fieldset, SimpleGrid, TextInput } from '@mantine/core';
import { useTimeZone } from '../../../api/session';
import { useDrivers, useTrucks } from '../../../parts/choices/all-records';
import { CustomerSelect } from '../../../parts/choices/customer-select';
import { Select } from '../../../parts/choices/select';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { humanize } from '../../../parts/record/status-badge';
import {
  dateFieldsOf,
  EXPORT_FILTERS,
  type ExportFilter,
  type ExportFilters,
  endAfter,
  hasRange,
  nameDateField,
  toFirstDay,
  toLastDay,
} from './export-filters';
import type { RequestDraft } from './request-draft';

interface Part {
  draft: RequestDraft;
  onDraft: (draft: RequestDraft) => void;
  errors: FieldErrors;
}

type Values = Partial<Record<keyof ExportFilters, string | boolean>>;

/**
 * The fields that choose the exported rows. They are the filters of the resource's list. Without a
 * filter, the export contains all rows.
 */
export function FilterFields({ draft, onDraft, errors, withRange }: Part & { withRange: boolean }) {
  const filters = EXPORT_FILTERS[draft.resource];
  if (filters.length === 0) return null;
  const set = (name: keyof ExportFilters, value: string | boolean | undefined) => {
    const others = Object.entries({ ...draft.filters, [name]: value }).filter(([, one]) => one !== undefined);
    onDraft({ ...draft, filters: Object.fromEntries(others) });
  };
  return (
    <Fieldset legend="Only these rows">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {withRange && hasRange(draft.resource) && (
          <Range filters={draft.filters} onFilter={set} errors={errors} />
        )}
        {dateFieldsOf(draft.resource).length > 0 && (
          <Select
            label="Date"
            placeholder="Created"
            clearable
            data={dateFieldsOf(draft.resource).map((value) => ({ value, label: nameDateField(value) }))}
            value={draft.filters.date_field ?? null}
            error={errors['filters.date_field']}
            onChange={(value) => set('date_field', value ?? undefined)}
          />
        )}
        {filters.map((filter) => (
          <FilterField
            key={filter.name}
            filter={filter}
            value={(draft.filters as Values)[filter.name]}
            error={errors[`filters.${filter.name}`]}
            onValue={(value) => set(filter.name, value)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

function Range({
  filters,
  onFilter,
  errors,
}: {
  filters: ExportFilters;
  onFilter: (name: 'since' | 'until', value: string | undefined) => void;
  errors: FieldErrors;
}) {
  const timeZone = useTimeZone();
  return (
    <>
      <TextInput
        label="From"
        type="date"
        value={toFirstDay(filters.since, timeZone)}
        error={errors['filters.since']}
        onChange={(event) => onFilter('since', event.currentTarget.value || undefined)}
      />
      <TextInput
        label="To"
        type="date"
        value={toLastDay(filters.until, timeZone)}
        error={errors['filters.until']}
        onChange={({ currentTarget: { value } }) => onFilter('until', value ? endAfter(value) : undefined)}
      />
    </>
  );
}

interface FieldPart {
  filter: ExportFilter;
  value: string | boolean | undefined;
  error: string | undefined;
  onValue: (value: string | boolean | undefined) => void;
}

function FilterField({ filter, value, error, onValue }: FieldPart) {
  const { label } = filter;
  if (filter.kind === 'text')
    return (
      <TextInput
        label={label}
        value={String(value ?? '')}
        error={error}
        onChange={(event) => onValue(event.currentTarget.value || undefined)}
      />
    );
  const text = value === undefined ? null : String(value);
  if (filter.kind === 'customer')
    return (
      <CustomerSelect label={label} value={text} error={error} onChange={(id) => onValue(id ?? undefined)} />
    );
  if (filter.kind === 'truck' || filter.kind === 'driver')
    return <FleetField filter={filter} value={value} error={error} onValue={onValue} />;
  const names = filter.kind === 'yes_no' ? { true: 'Yes', false: 'No' } : {};
  const options = filter.kind === 'choice' ? filter.options : Object.keys(names);
  return (
    <Select
      label={label}
      placeholder="Any"
      clearable
      searchable={options.length > 8}
      data={options.map((one) => ({
        value: one,
        label: (names as Record<string, string>)[one] ?? humanize(one),
      }))}
      value={text}
      error={error}
      onChange={(next) => onValue(readChoice(next, filter.kind === 'yes_no'))}
    />
  );
}

function readChoice(value: string | null, isYesNo: boolean): string | boolean | undefined {
  if (value === null) return undefined;
  return isYesNo ? value === 'true' : value;
}

/** Chooses a truck or a driver. */
function FleetField({ filter, value, error, onValue }: FieldPart) {
  const trucks = useTrucks().map(({ id, unit_number }) => ({ value: id, label: `Truck ${unit_number}` }));
  const drivers = useDrivers().map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      label={filter.label}
      placeholder="Any"
      clearable
      searchable
      data={filter.kind === 'truck' ? trucks : drivers}
      value={value === undefined ? null : String(value)}
      error={error}
      onChange={(id) => onValue(id ?? undefined)}
    />
  );
}
