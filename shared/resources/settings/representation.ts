import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function settingsRepresentation(alias: string): string {
  return jsonObject(alias, [
    'time_zone',
    'tax_rate_bps',
    'grace_days',
    'terms_days',
    'agent_gate_cents',
    'agent_day_cents',
    jsonTime(alias, 'updated_at'),
  ]);
}
