import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function customerRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'company_name',
    'company_type',
    'billing_email',
    'primary_phone',
    'address',
    'city',
    'state',
    'zip',
    'is_active',
    'terms_days',
    'tax_exempt',
    'tax_rate_bps',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}
