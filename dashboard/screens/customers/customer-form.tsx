import { Checkbox, NumberInput, SimpleGrid, TextInput } from '@mantine/core';
import { api, client, ifMatch } from '../../api/client';
import type { Customer, Schemas } from '../../api/records';
import { useWrite } from '../../api/use-write';
import { Select } from '../../parts/choices/select';
import { type DraftFields, EditRecordForm, NewRecordForm } from '../../parts/dialogs/record-forms';
import { useOpenedVersion } from '../../parts/dialogs/use-opened-version';
import { useUrl } from '../../parts/url/use-url';
import { COVERAGE_FIELDS, CoverageFields } from './coverage-fields';
import { useBillingPartners } from './use-billing-partners';

type Draft = Schemas['CustomerCreate'];
type Billing = Pick<Schemas['CustomerPatch'], 'billing_connection_id'>;

const TEXTS = [
  ['company_name', 'Name'],
  ['company_type', 'Type'],
  ['billing_email', 'Billing e-mail'],
  ['primary_phone', 'Phone'],
  ['address', 'Address'],
  ['city', 'City'],
  ['state', 'State'],
  ['zip', 'ZIP'],
] as const;
const FIELDS = [
  ...TEXTS.map(([name]) => name),
  'terms_days',
  'tax_exempt',
  'tax_rate_bps',
  'rate_card_id',
  'billing_connection_id',
  ...COVERAGE_FIELDS,
];

/** Adds a customer, and then opens it. */
export function NewCustomer({ onClose }: { onClose: () => void }) {
  const { openRecord } = useUrl();
  const write = useWrite(
    (headers, body: Draft) => client.POST('/customers', { params: { header: headers }, body }),
    { done: 'Customer created' },
  );
  return (
    <NewRecordForm<Draft>
      title="New customer"
      submitLabel="Create customer"
      fields={FIELDS}
      initial={{ company_name: '' }}
      write={write}
      onOpen={openRecord}
      onClose={onClose}
    >
      {(form) => <CustomerFields {...form} />}
    </NewRecordForm>
  );
}

/** Changes a customer. */
export function EditCustomer({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const { opened, onProblem } = useOpenedVersion(customer);
  const write = useWrite(
    (headers, body: Schemas['CustomerPatch']) =>
      client.PATCH('/customers/{id}', {
        params: { path: { id: customer.id }, header: { ...headers, ...ifMatch(opened) } },
        body,
      }),
    { done: 'Customer saved', onProblem },
  );
  return (
    <EditRecordForm<Draft & Billing>
      title={`Edit ${customer.company_name}`}
      fields={FIELDS}
      opened={opened}
      write={write}
      onClose={onClose}
    >
      {(form) => (
        <>
          <CustomerFields {...form} />
          <BilledThrough draft={form.draft} onEdit={form.onEdit} error={form.errors.billing_connection_id} />
        </>
      )}
    </EditRecordForm>
  );
}

function CustomerFields({ draft, onEdit: set, errors }: DraftFields<Draft>) {
  const cards = api.useQuery('get', '/rate-cards', { params: { query: { limit: 200 } } });
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {TEXTS.map(([name, label]) => (
          <TextInput
            key={name}
            label={label}
            value={draft[name] ?? ''}
            error={errors[name]}
            onChange={(event) => set({ [name]: event.currentTarget.value || emptyValueOf(name) })}
          />
        ))}
        <NumberInput
          label="Terms in days"
          min={0}
          value={draft.terms_days ?? ''}
          error={errors.terms_days}
          onChange={(value) => set({ terms_days: value === '' ? null : Number(value) })}
        />
        <NumberInput
          label="Tax rate in %"
          min={0}
          decimalScale={2}
          value={draft.tax_rate_bps == null ? '' : draft.tax_rate_bps / 100}
          error={errors.tax_rate_bps}
          onChange={(value) => set({ tax_rate_bps: value === '' ? null : Math.round(Number(value) * 100) })}
        />
        <Select
          label="Rate card"
          placeholder="The account's default"
          clearable
          data={(cards.data?.data.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={draft.rate_card_id ?? null}
          error={errors.rate_card_id}
          onChange={(value) => set({ rate_card_id: value })}
        />
      </SimpleGrid>
      <Checkbox
        label="Exempt from tax"
        checked={draft.tax_exempt ?? false}
        onChange={(event) => set({ tax_exempt: event.currentTarget.checked })}
      />
      <CoverageFields coverage={draft.coverage} onEdit={(coverage) => set({ coverage })} errors={errors} />
    </>
  );
}

/** Chooses the partner that bills the customer, if the account has one. */
function BilledThrough({
  draft,
  onEdit: set,
  error,
}: {
  draft: Billing;
  onEdit: (patch: Billing) => void;
  error: string | undefined;
}) {
  const partners = useBillingPartners();
  if (partners.length === 0) return null;
  return (
    <Select
      label="Billed through"
      placeholder="Nobody: invoices go to the customer"
      clearable
      data={partners.map(({ id, name }) => ({ value: id, label: name }))}
      value={draft.billing_connection_id ?? null}
      error={error}
      onChange={(value) => set({ billing_connection_id: value })}
    />
  );
}

/**
 * Returns the value to send for an empty field. A name cannot be empty. Without a type, the API
 * uses its default type. Null clears any other text.
 */
function emptyValueOf(name: (typeof TEXTS)[number][0]): '' | null | undefined {
  if (name === 'company_name') return '';
  return name === 'company_type' ? undefined : null;
}
