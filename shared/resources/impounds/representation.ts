import { invoicedDays, startedDays } from '../../billing/storage-days.js';
import { jsonObject, jsonTime } from '../../contracts/resource.js';

const VEHICLE_FIELDS = ['vin', 'plate', 'make', 'model', 'year', 'color'];

export function impoundRepresentation(alias: string): string {
  const vehicle = VEHICLE_FIELDS.map((name) => ({ name, sql: `${alias}.vehicle_${name}` }));
  const until = `coalesce(${alias}.released_at, now())`;
  return jsonObject(alias, [
    'id',
    'status',
    'work_order_id',
    'customer_id',
    { name: 'vehicle', sql: jsonObject(alias, vehicle) },
    'lot',
    'spot',
    'hold_reason',
    jsonTime(alias, 'impounded_at'),
    jsonTime(alias, 'released_at'),
    'release_kind',
    'released_to',
    'daily_rate_cents',
    'free_days',
    {
      name: 'days',
      sql: `(select ${startedDays(alias, { until, zone: 'z.time_zone' })} from tenants z where z.tenant_id = ${alias}.tenant_id)`,
    },
    'accrued_days',
    'storage_cents',
    { name: 'invoiced_days', sql: invoicedDays(alias) },
    {
      name: 'unbilled_days',
      sql: `case when ${alias}.release_kind = 'no_charge' then 0 else greatest(0, ${alias}.accrued_days - ${invoicedDays(alias)}) end`,
    },
    'notes',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}
