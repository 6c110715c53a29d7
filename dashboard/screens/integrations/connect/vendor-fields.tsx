import { Checkbox, NumberInput, PasswordInput, Textarea, type TextareaProps, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Select } from '../../../parts/choices/select';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { nameField, type VendorField, type VendorValues } from '../vendors/vendor-schema';

/**
 * The fields that a vendor's schema defines.
 * @param member the member of the request for these values; faults begin with its name
 * @param areRequired false if an empty field keeps the stored value
 */
export function VendorFields({
  fields,
  member,
  values,
  onValues,
  errors,
  areRequired = true,
}: {
  fields: readonly VendorField[];
  member: 'credentials' | 'settings';
  values: VendorValues;
  onValues: (values: VendorValues) => void;
  errors: FieldErrors;
  areRequired?: boolean;
}) {
  return fields.map((field) => (
    <Field
      key={field.name}
      field={areRequired ? field : { ...field, isRequired: false }}
      isSecret={member === 'credentials'}
      value={values[field.name]}
      error={errors[`${member}.${field.name}`]}
      onValue={(value) => {
        const others = Object.entries({ ...values, [field.name]: value });
        onValues(Object.fromEntries(others.filter(([, one]) => one !== undefined)));
      }}
    />
  ));
}

interface FieldPart {
  field: VendorField;
  isSecret: boolean;
  value: unknown;
  error: string | undefined;
  onValue: (value: unknown) => void;
}

function Field({ field, isSecret, value, error, onValue }: FieldPart) {
  const { label, isRequired, kind, options, schema } = field;
  const shared = { label, required: isRequired, error, ...describe(schema) };
  if (isSecret)
    return (
      <PasswordInput
        {...shared}
        autoComplete="off"
        value={String(value ?? '')}
        onChange={(event) => onValue(event.currentTarget.value || undefined)}
      />
    );
  if (kind === 'switch')
    return (
      <Checkbox
        {...shared}
        checked={value === true}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
    );
  if (kind === 'number')
    return (
      <NumberInput
        {...shared}
        value={typeof value === 'number' ? value : ''}
        onChange={(next) => onValue(next === '' ? undefined : Number(next))}
      />
    );
  if (kind === 'choice')
    return (
      <Select
        {...shared}
        clearable={!isRequired}
        data={options.map((option) => ({ value: option, label: nameField(option) }))}
        value={typeof value === 'string' ? value : null}
        onChange={(next) => onValue(next ?? undefined)}
      />
    );
  if (kind === 'json') return <JsonField {...shared} value={value} onValue={onValue} />;
  return (
    <TextInput
      {...shared}
      value={String(value ?? '')}
      onChange={(event) => onValue(event.currentTarget.value || undefined)}
    />
  );
}

function describe({ description, examples = [] }: VendorField['schema']): {
  description?: string;
  placeholder?: string;
} {
  const [example] = examples;
  return {
    ...(description ? { description } : {}),
    ...(example === undefined ? {} : { placeholder: String(example) }),
  };
}

/**
 * A field for a list or an object as JSON. Text that is not valid JSON is sent as text, and the API
 * refuses it.
 */
function JsonField({
  value,
  onValue,
  ...field
}: { value: unknown; onValue: (value: unknown) => void } & Omit<TextareaProps, 'value'>) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const change = (next: string) => {
    setText(next);
    onValue(next.trim() === '' ? undefined : readJson(next));
  };
  return (
    <Textarea
      {...field}
      autosize
      minRows={3}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
