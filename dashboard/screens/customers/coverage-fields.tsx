import { Fieldset, MultiSelect, NumberInput, SimpleGrid } from '@mantine/core';
import type { Customer, Schemas } from '../../api/records';
import { PUBLISHED_SERVICE_TYPE } from '../../generated/vocabulary';
import { useNamedList } from '../../parts/choices/select';
import type { FieldErrors } from '../../parts/dialogs/form-dialog';
import { humanize } from '../../parts/record/status-badge';
import { formatCents } from '../../parts/values/money';

type Coverage = NonNullable<Customer['coverage']>;

/** The names of the fields in the API, for the faults of the server. */
export const COVERAGE_FIELDS = ['coverage.loaded_miles', 'coverage.amount_cents', 'coverage.service_types'];

const UNLIMITED: Coverage = { loaded_miles: null, amount_cents: null, service_types: null };

/** What the customer pays for a work order. If no limit is left, the coverage is null. */
export function CoverageFields({
  coverage,
  onEdit,
  errors,
}: {
  coverage: Schemas['CustomerCreate']['coverage'];
  onEdit: (coverage: Coverage | null) => void;
  errors: FieldErrors;
}) {
  const shown: Coverage = { ...UNLIMITED, ...coverage };
  const set = (patch: Partial<Coverage>) => {
    const next = { ...shown, ...patch };
    onEdit(Object.values(next).every((limit) => limit === null) ? null : next);
  };
  const nameList = useNamedList();
  const services = shown.service_types ?? [];
  const known: readonly string[] = PUBLISHED_SERVICE_TYPE;
  const own = services.filter((service) => !known.includes(service));
  return (
    <Fieldset legend="Coverage of one work order">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label="Covered loaded miles"
          placeholder="All"
          min={0}
          decimalScale={4}
          value={shown.loaded_miles ?? ''}
          error={errors['coverage.loaded_miles']}
          onChange={(value) => set({ loaded_miles: value === '' ? null : Number(value) })}
        />
        <NumberInput
          label="Covered amount before tax"
          placeholder="Any"
          leftSection="$"
          min={0}
          decimalScale={2}
          value={shown.amount_cents === null ? '' : shown.amount_cents / 100}
          error={errors['coverage.amount_cents']}
          onChange={(value) => set({ amount_cents: value === '' ? null : Math.round(Number(value) * 100) })}
        />
      </SimpleGrid>
      <MultiSelect
        mt="sm"
        label="Covered services"
        placeholder={services.length === 0 ? 'All' : ''}
        searchable
        clearable
        openOnFocus={false}
        data={[...own, ...known].map((value) => ({ value, label: humanize(value) }))}
        value={services}
        error={errors['coverage.service_types']}
        onDropdownOpen={nameList}
        onChange={(chosen) => set({ service_types: chosen.length === 0 ? null : chosen })}
      />
    </Fieldset>
  );
}

export function describeCoverage(coverage: Coverage | null): string {
  if (!coverage) return 'Everything';
  const { loaded_miles: miles, amount_cents: cents, service_types: services } = coverage;
  return [
    ...(miles === null ? [] : [`${miles} loaded miles`]),
    ...(cents === null ? [] : [`${formatCents(cents)} before tax`]),
    ...(services === null ? [] : [services.map(humanize).join(', ')]),
  ].join('; ');
}
