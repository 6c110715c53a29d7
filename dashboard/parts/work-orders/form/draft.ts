import type { Schemas, WorkOrder } from '../../../api/records';

export type Value = string | number | null;

/**
 * The names of the form's fields, equal to the names in the API's faults. A member of an object has
 * the object's name as prefix: `vehicle.make`.
 */
export const FIELDS = [
  'service_type',
  'customer_id',
  'pickup_location',
  'pickup.lat',
  'pickup.lng',
  'dropoff_location',
  'dropoff.lat',
  'dropoff.lng',
  'vin',
  'vehicle.make',
  'vehicle.model',
  'vehicle.year',
  'unit_number',
  'contact_name',
  'contact_phone',
  'billing_email',
  'notes',
  'customer_notes',
] as const;

export type FieldName = (typeof FIELDS)[number];
/** The values that a person has typed. An untouched field is absent. */
export type Draft = Partial<Record<FieldName, Value>>;

/** Returns the stored value of a field. */
export function readField(workOrder: WorkOrder, name: FieldName): Value {
  const [member = '', inner] = name.split('.');
  const value = workOrder[member as keyof WorkOrder] as Value | Record<string, Value>;
  if (inner === undefined) return value as Value;
  return (value as Record<string, Value>)[inner] ?? null;
}

/**
 * Converts a draft to a request body. Names with a dot become objects: `vehicle.make` becomes `{
 * vehicle: { make } }`.
 */
export function toBody(draft: Draft): Schemas['WorkOrderPatch'] {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(draft)) {
    const [member = '', inner] = name.split('.');
    if (inner === undefined) body[member] = value;
    else body[member] = { ...(body[member] as object | undefined), [inner]: value };
  }
  return body;
}

/** Returns the part of a draft that differs from the stored work order. */
export function findChanges(draft: Draft, stored: WorkOrder): Draft {
  const entries = Object.entries(draft) as [FieldName, Value][];
  return Object.fromEntries(entries.filter(([name, value]) => value !== readField(stored, name)));
}
