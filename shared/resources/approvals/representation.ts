import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** SQL that is true for an approval past its expiry that the clock has not expired yet. */
const isExpiredSql = (alias: string) => `${alias}.status = 'pending' and ${alias}.expires_at <= now()`;

/** An earlier version had one threshold and did not store its name. */
const heldBySql = (alias: string) =>
  `coalesce(${alias}.held_by, case when ${alias}.kind = 'agent_write' then 'agent_gate_cents' end)`;

export function approvalRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'kind',
    { name: 'status', sql: `case when ${isExpiredSql(alias)} then 'expired' else ${alias}.status end` },
    'action',
    'agent_id',
    'agent_name',
    'tool',
    'payload',
    'amount_cents',
    'counted_cents',
    { name: 'held_by', sql: heldBySql(alias) },
    'justification',
    'invoice_id',
    jsonTime(alias, 'record_version'),
    'hash',
    'changes',
    'decided_by',
    jsonTime(alias, 'decided_at'),
    'note',
    jsonTime(alias, 'expires_at'),
    jsonTime(alias, 'created_at'),
  ]);
}
