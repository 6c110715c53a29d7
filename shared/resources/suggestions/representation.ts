import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function suggestionRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'kind',
    'detector',
    'entity_type',
    'entity_id',
    'invoice_id',
    'title',
    'rationale',
    'amount_cents',
    'confidence',
    'proposed_lines',
    'status',
    'decided_by',
    jsonTime(alias, 'decided_at'),
    'note',
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ]);
}
