import { jsonObject, jsonObjectWithoutNulls, jsonShortText, jsonTime } from '../../contracts/resource.js';

/** The JSON of an audit entry omits the error of a refused request. */
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
const MAX_NAMED_FIELDS = 3;

/** Long lists for agents show only the actor, the action and the names of the changed fields. */
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
