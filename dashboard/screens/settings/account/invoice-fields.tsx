import { type ComboboxItem, Fieldset, NumberInput, type OptionsFilter, SimpleGrid } from '@mantine/core';
import { Select } from '../../../parts/choices/select';
import type { SettingsFieldsProps } from './settings-draft';

const SHOWN_ZONES = 40;
const MAX_DAYS = 365;
const EMPTY_NUMBER = 'Enter a number.';

/** The field for the time zone, which determines when the account's days begin and end. */
export function TimeFields({ shown, set, errors }: SettingsFieldsProps) {
  const current = shown.time_zone ?? '';
  const zones = Intl.supportedValuesOf('timeZone');
  return (
    <Fieldset legend="Time">
      <Select
        label="Time zone"
        description="Sets where a day begins: for due dates, for days of storage and for dates without a time."
        searchable
        nothingFoundMessage="No time zone has this name. Type a city, such as New York."
        limit={SHOWN_ZONES}
        allowDeselect={false}
        data={zones.includes(current) ? zones : [current, ...zones]}
        filter={filterZones}
        value={current}
        error={errors.time_zone}
        onChange={(value) => value && set({ time_zone: value })}
      />
    </Fieldset>
  );
}

/** Filters time zones, so that "new york" finds "America/New_York". */
const filterZones: OptionsFilter = ({ options, search, limit }) => {
  const wanted = search.trim().toLowerCase().replaceAll(' ', '_');
  return (options as ComboboxItem[])
    .filter(({ label }) => label.toLowerCase().includes(wanted))
    .slice(0, limit);
};

/** Terms and tax of new invoices. */
export function InvoiceFields({ shown, set, errors }: SettingsFieldsProps) {
  return (
    <Fieldset legend="Invoices">
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <NumberInput
          label="Terms in days"
          description="From the release of an invoice to its due date. A customer may have other terms."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          hideControls
          min={0}
          max={MAX_DAYS}
          allowDecimal={false}
          value={shown.terms_days ?? ''}
          error={errors.terms_days ?? (shown.terms_days === undefined && EMPTY_NUMBER)}
          onChange={(value) => set({ terms_days: readNumber(value) })}
        />
        <NumberInput
          label="Grace in days"
          description="From the due date to the day on which an unpaid invoice becomes overdue."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          hideControls
          min={0}
          max={MAX_DAYS}
          allowDecimal={false}
          value={shown.grace_days ?? ''}
          error={errors.grace_days ?? (shown.grace_days === undefined && EMPTY_NUMBER)}
          onChange={(value) => set({ grace_days: readNumber(value) })}
        />
        <NumberInput
          label="Tax rate in %"
          description="On the taxable line items of new invoices. A customer may have another rate."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          hideControls
          min={0}
          max={100}
          decimalScale={2}
          value={shown.tax_rate_bps === undefined ? '' : shown.tax_rate_bps / 100}
          error={errors.tax_rate_bps ?? (shown.tax_rate_bps === undefined && EMPTY_NUMBER)}
          onChange={(value) => set({ tax_rate_bps: readNumber(value, 100) })}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

function readNumber(value: string | number, factor = 1): number | undefined {
  return value === '' ? undefined : Math.round(Number(value) * factor);
}
