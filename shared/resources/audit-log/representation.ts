import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** An entry as it was written; what a refusal said stays inside. */
export function auditEntryRepresentation(alias: string): string {
  const actor = jsonObject(
    alias,
    ['type', 'id', 'name'].map((name) => ({ name, sql: `${alias}.actor_${name}` })),
  );
  return jsonObject(alias, [
    'id',
    jsonTime(alias, 'occurred_at'),
    { name: 'actor', sql: actor },
    'action',
    'entity_type',
    'entity_id',
    'outcome',
    'source',
    'tool',
    { name: 'changes', sql: `coalesce(${alias}.changes, '[]')` },
    'request_id',
    'idempotency_key',
    'ip',
    'user_agent',
  ]);
}
