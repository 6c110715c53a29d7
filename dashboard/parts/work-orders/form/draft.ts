import type { Schemas, WorkOrder } from '../../../api/records';

export type Value = string | number | null;

/**
 * The fields of the form by the names that the API's faults have. A member of an object has the
 * object's name in front: `vehicle.make`.
 */
export const FIELDS = [
  'service_type',
  'customer_id',
  'pickup_location',
  'pickup.lat',
  'pickup.lng',
  'dropoff_location',
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
/** What a person has typed. A field that was not touched is absent. */
export type Draft = Partial<Record<FieldName, Value>>;

/** Returns the stored value of a field. */
export function readField(workOrder: WorkOrder, name: FieldName): Value {
  const [member = '', inner] = name.split('.');
  const value = workOrder[member as keyof WorkOrder] as Value | Record<string, Value>;
  if (inner === undefined) return value as Value;
  return (value as Record<string, Value>)[inner] ?? null;
}

/** Returns the body that sets the fields of a draft: `{ 'vehicle.make': 'Ford' }` is nested. */
export function toBody(draft: Draft): Schemas['WorkOrderPatch'] {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(draft)) {
    const [member = '', inner] = name.split('.');
    if (inner === undefined) body[member] = value;
    else body[member] = { ...(body[member] as object | undefined), [inner]: value };
  }
  return body;
}

/** Returns the part of a draft that differs from what is stored. */
export function findChanges(draft: Draft, stored: WorkOrder): Draft {
  const entries = Object.entries(draft) as [FieldName, Value][];
  return Object.fromEntries(entries.filter(([name, value]) => value !== readField(stored, name)));
}
