import { Fieldset, NumberInput, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { PUBLISHED_SERVICE_TYPE } from '../../../generated/vocabulary';
import { CustomerSelect } from '../../choices/customer-select';
import { Select } from '../../choices/select';
import type { FieldErrors } from '../../dialogs/form-dialog';
import { humanize } from '../../record/status-badge';
import type { FieldName, Value } from './draft';

export interface FieldsProps {
  read: (name: FieldName) => Value;
  set: (name: FieldName, value: Value) => void;
  errors: FieldErrors;
}

/** All fields of a work order, in groups. */
export function WorkOrderFields(props: FieldsProps) {
  const { read, set, errors } = props;
  const type = read('service_type');
  const known: readonly string[] = PUBLISHED_SERVICE_TYPE;
  const types = type && !known.includes(String(type)) ? [String(type), ...known] : known;
  return (
    <>
      <Fieldset legend="Service">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <Select
            label="Service type"
            data-autofocus
            required
            searchable
            openOnFocus={false}
            data={types.map((value) => ({ value, label: humanize(value) }))}
            value={(type as string | null) ?? null}
            error={errors.service_type}
            onChange={(value) => set('service_type', value)}
          />
          <CustomerSelect
            placeholder="None"
            value={(read('customer_id') as string | null) ?? null}
            error={errors.customer_id}
            onChange={(value) => set('customer_id', value)}
          />
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend="Route">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <LongText {...props} name="pickup_location" label="Pickup" rows={2} />
          <LongText {...props} name="dropoff_location" label="Drop-off" rows={2} />
          <NumberField {...props} name="pickup.lat" label="Pickup latitude" placeholder="40.7128" />
          <NumberField {...props} name="pickup.lng" label="Pickup longitude" placeholder="-74.006" />
          <NumberField {...props} name="dropoff.lat" label="Drop-off latitude" placeholder="40.7209" />
          <NumberField {...props} name="dropoff.lng" label="Drop-off longitude" placeholder="-74.0007" />
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend="Vehicle">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <ShortText {...props} name="vin" label="VIN" description="17 letters and digits" />
          <ShortText
            {...props}
            name="unit_number"
            label="Unit number"
            description="In the customer's fleet"
          />
          <ShortText {...props} name="vehicle.make" label="Make" />
          <ShortText {...props} name="vehicle.model" label="Model" />
          <NumberField {...props} name="vehicle.year" label="Year" isWhole />
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend="Contact and billing">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <ShortText {...props} name="contact_name" label="Contact" />
          <ShortText {...props} name="contact_phone" label="Phone" type="tel" />
          <ShortText
            {...props}
            name="billing_email"
            label="Billing e-mail"
            type="email"
            description="Instead of the customer's, for drafts that agents make"
          />
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend="Notes">
        <SimpleGrid cols={1} spacing="sm">
          <LongText {...props} name="notes" label="Internal notes" rows={2} />
          <LongText
            {...props}
            name="customer_notes"
            label="Notes for the customer"
            description="The customer may see them"
            rows={2}
          />
        </SimpleGrid>
      </Fieldset>
    </>
  );
}

type OneField = FieldsProps & { name: FieldName; label: string; description?: string };

function ShortText({
  read,
  set,
  errors,
  name,
  ...input
}: OneField & {
  type?: string;
}) {
  return (
    <TextInput
      {...input}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={read(name) ?? ''}
      error={errors[name]}
      onChange={(event) => set(name, event.currentTarget.value || null)}
    />
  );
}

function LongText({ read, set, errors, name, rows, ...input }: OneField & { rows: number }) {
  return (
    <Textarea
      {...input}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      autosize
      minRows={rows}
      value={read(name) ?? ''}
      error={errors[name]}
      onChange={(event) => set(name, event.currentTarget.value || null)}
    />
  );
}

function NumberField({
  read,
  set,
  errors,
  name,
  isWhole = false,
  ...input
}: OneField & { isWhole?: boolean; placeholder?: string }) {
  return (
    <NumberInput
      {...input}
      hideControls
      allowDecimal={!isWhole}
      {...(isWhole ? {} : { decimalScale: 6 })}
      value={read(name) ?? ''}
      error={errors[name]}
      onChange={(value) => set(name, value === '' || value === '-' ? null : Number(value))}
    />
  );
}
