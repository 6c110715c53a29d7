import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function claimRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'invoice_id',
    'club',
    'provider_id',
    'po_number',
    'status',
    'status_reason',
    'attempt',
    jsonTime(alias, 'submitted_at'),
    jsonTime(alias, 'submit_by'),
    jsonTime(alias, 'respond_by'),
    'denial_code',
    'denial_reason',
    'expected_cents',
    'paid_cents',
    'evidence',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}
