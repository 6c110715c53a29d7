import { jsonObject, jsonObjectWithoutNulls, jsonShortText, jsonTime } from '../../contracts/resource.js';

/** Returns SQL for the JSON of an audit entry, without the error of a refused request. */
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

/** A brief entry names at most this many changed fields. */
const MAX_NAMED_FIELDS = 2;

/**
 * Returns SQL for the JSON of a brief audit entry, for long lists that agents read. The entry names
 * the changed fields without their values, and omits most details of the request.
 */
export function briefAuditEntryRepresentation(alias: string): string {
  const actor = jsonObjectWithoutNulls(alias, [
    { name: 'type', sql: `${alias}.actor_type` },
    { name: 'id', sql: `${alias}.actor_id` },
    { ...jsonShortText(alias, 'actor_name'), name: 'name' },
  ]);
  const changedNames = `(select string_agg(c.change ->> 'field', ', ' order by c.rank) filter (where c.rank <= ${MAX_NAMED_FIELDS})
      || case when count(*) > ${MAX_NAMED_FIELDS} then ' and ' || (count(*) - ${MAX_NAMED_FIELDS}) || ' more' else '' end
    from jsonb_array_elements(${alias}.changes) with ordinality as c(change, rank))`;
  return jsonObjectWithoutNulls(alias, [
    'id',
    jsonTime(alias, 'occurred_at'),
    { name: 'actor', sql: actor },
    'action',
    'entity_id',
    'outcome',
    { name: 'changed', sql: changedNames },
  ]);
}
