import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** True for one whose time is over before the clock has said so. */
const IS_OVER = (alias: string) => `${alias}.status = 'pending' and ${alias}.expires_at <= now()`;

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
