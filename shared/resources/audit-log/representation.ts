import { jsonObject, jsonObjectWithoutNulls, jsonShortText, jsonTime } from '../../contracts/resource.js';

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

/** Changed fields that a brief entry names. */
const NAMED_FIELDS = 3;

/** An entry in a long list for agents: who did what, and the names of the fields that changed. */
export function briefAuditEntryRepresentation(alias: string): string {
  const actor = jsonObjectWithoutNulls(alias, [
    { name: 'type', sql: `${alias}.actor_type` },
    { name: 'id', sql: `${alias}.actor_id` },
    { ...jsonShortText(alias, 'actor_name'), name: 'name' },
  ]);
  const changed = `(select string_agg(c.change ->> 'field', ', ' order by c.rank) filter (where c.rank <= ${NAMED_FIELDS})
      || case when count(*) > ${NAMED_FIELDS} then ' and ' || (count(*) - ${NAMED_FIELDS}) || ' more' else '' end
    from jsonb_array_elements(${alias}.changes) with ordinality as c(change, rank))`;
  return jsonObjectWithoutNulls(alias, [
    'id',
    jsonTime(alias, 'occurred_at'),
    { name: 'actor', sql: actor },
    'action',
    'entity_id',
    'outcome',
    { name: 'changed', sql: changed },
  ]);
}
