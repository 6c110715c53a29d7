import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function settingsRepresentation(alias: string): string {
  return jsonObject(alias, [
    'time_zone',
    'tax_rate_bps',
    'grace_days',
    'terms_days',
    'agent_gate_cents',
    'agent_day_cents',
    'require_factor',
    'driver_payments',
    'business_name',
    'address',
    'city',
    'state',
    'zip',
    'phone',
    'email',
    'remittance_text',
    'mail_subject',
    'mail_text',
    'sms_text',
    {
      name: 'logo',
      sql: `(select ${jsonObject('g', [
        'content_type',
        'width',
        'height',
        { name: 'bytes', sql: 'octet_length(g.data)' },
        jsonTime('g', 'updated_at'),
      ])} from account_logos g where g.tenant_id = ${alias}.tenant_id)`,
    },
    jsonTime(alias, 'updated_at'),
  ]);
}
