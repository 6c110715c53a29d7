import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** True for one whose time is over before the clock has said so. */
const IS_OVER = (alias: string) => `${alias}.status = 'pending' and ${alias}.expires_at <= now()`;

/** An earlier version knew one bound and did not name it. */
const HELD_BY = (alias: string) =>
  `coalesce(${alias}.held_by, case when ${alias}.kind = 'agent_write' then 'agent_gate_cents' end)`;

export function approvalRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'kind',
    { name: 'status', sql: `case when ${IS_OVER(alias)} then 'expired' else ${alias}.status end` },
    'action',
    'agent_id',
    'agent_name',
    'tool',
    'payload',
    'amount_cents',
    'counted_cents',
    { name: 'held_by', sql: HELD_BY(alias) },
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
