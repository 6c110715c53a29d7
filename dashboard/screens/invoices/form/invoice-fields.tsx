import { SimpleGrid, Textarea, TextInput } from '@mantine/core';
import type { Invoice } from '../../../api/records';
import type { DryRun } from '../../../api/use-dry-run';
import { CustomerSelect } from '../../../parts/choices/customer-select';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { FIELD_LABELS, type InvoiceDraft, isFinished } from './invoice-draft';
import { LineItems } from './line-items';
import { Totals } from './totals';

interface FieldsProps {
  draft: InvoiceDraft;
  errors: FieldErrors;
  onChange: (patch: Partial<InvoiceDraft>) => void;
}

type TextName = keyof typeof FIELD_LABELS & Exclude<keyof InvoiceDraft, 'customer_id' | 'lines'>;

const ONLY_NEW = ['service_date', 'vehicle_description'] as const;
const ALWAYS = ['billing_email', 'po_number', 'due_date'] as const;

/**
 * The fields beside the line items. A stored invoice has a fixed customer, number and service date.
 */
export function InvoiceFacts({ draft, errors, onChange, isNew }: FieldsProps & { isNew: boolean }) {
  const names: readonly TextName[] = isNew ? [...ALWAYS, ...ONLY_NEW] : ALWAYS;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
        {isNew && (
          <>
            <CustomerSelect
              placeholder="Whoever pays"
              value={draft.customer_id}
              onChange={(id) => onChange({ customer_id: id })}
              error={errors.customer_id}
            />
            <TextField name="invoice_number" draft={draft} errors={errors} onChange={onChange} />
          </>
        )}
        {names.map((name) => (
          <TextField key={name} name={name} draft={draft} errors={errors} onChange={onChange} />
        ))}
      </SimpleGrid>
      <Textarea
        label={FIELD_LABELS.notes}
        description="The customer sees them on the invoice."
        autosize
        minRows={2}
        maxLength={5000}
        value={draft.notes}
        error={errors.notes}
        onChange={(event) => onChange({ notes: event.currentTarget.value })}
      />
    </>
  );
}

function TextField({ name, draft, errors, onChange }: FieldsProps & { name: TextName }) {
  return (
    <TextInput
      label={FIELD_LABELS[name]}
      type={name.endsWith('_date') ? 'date' : name === 'billing_email' ? 'email' : 'text'}
      required={name === 'invoice_number'}
      value={draft[name]}
      error={errors[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
}

/** The line items with the server's totals. */
export function InvoiceLines({ draft, errors, onChange, dryRun }: FieldsProps & { dryRun: DryRun<Invoice> }) {
  const isPriced = dryRun.isCurrent && !dryRun.problem;
  return (
    <>
      <LineItems
        lines={draft.lines}
        priced={isPriced ? dryRun.preview?.line_items : undefined}
        errors={errors}
        onLines={(lines) => onChange({ lines })}
      />
      <Totals dryRun={dryRun} isUnfinished={!isFinished(draft)} />
    </>
  );
}
