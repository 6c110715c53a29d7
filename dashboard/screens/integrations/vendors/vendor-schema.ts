import { humanize } from '../../../parts/record/status-badge';

/** The part of a JSON Schema that a vendor's field uses. */
interface FieldSchema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  description?: string;
  examples?: readonly unknown[];
  minimum?: number;
  maximum?: number;
}

export interface VendorField {
  name: string;
  label: string;
  isRequired: boolean;
  kind: 'text' | 'number' | 'switch' | 'choice' | 'json';
  /** The allowed values of a field with a choice. */
  options: readonly string[];
  schema: FieldSchema;
}

/** The typed values by field name. Empty fields are absent. */
export type VendorValues = Readonly<Record<string, unknown>>;

/** Reads the fields of a vendor's `credentials_schema` or `settings_schema`. */
export function readFields(schema: Record<string, unknown>): VendorField[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, FieldSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    label: nameField(name),
    isRequired: required.includes(name),
    kind: kindOf(field),
    options: (field.enum ?? []).filter((value) => typeof value === 'string'),
    schema: field,
  }));
}

function kindOf({ type, enum: values }: FieldSchema): VendorField['kind'] {
  const types = typeof type === 'string' ? [type] : (type ?? []);
  if (values?.some((value) => typeof value === 'string')) return 'choice';
  if (types.includes('boolean')) return 'switch';
  if (types.includes('integer') || types.includes('number')) return 'number';
  return types.includes('string') ? 'text' : 'json';
}

/** Returns a field's name for people: "API key" for `api_key`. */
export function nameField(name: string): string {
  return humanize(name).replaceAll(/\b(api|url|id|sms|sid|goa)\b/gi, (word) => word.toUpperCase());
}
