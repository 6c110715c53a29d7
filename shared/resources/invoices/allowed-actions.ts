import { lookUpWords } from '../../contracts/resource.js';
import { INVOICE_STATUSES } from '../../contracts/vocabulary.js';
import { listAllowedActions } from './transitions.js';

const BOOLEANS = [false, true];

/**
 * Returns the allowed actions for each possible state of an invoice. A key consists of the status
 * and of the flags released, delivered and paid: `draft000` → `approve`, `cancel`.
 */
function buildActionTable(): Record<string, string[]> {
  const actionsByState: Record<string, string[]> = {};
  for (const status of INVOICE_STATUSES)
    for (const isReleased of BOOLEANS)
      for (const isDelivered of BOOLEANS)
        for (const paid of BOOLEANS) {
          const key = `${status}${Number(isReleased)}${Number(isDelivered)}${Number(paid)}`;
          actionsByState[key] = listAllowedActions({ status, isReleased, isDelivered }, paid);
        }
  return actionsByState;
}

const ACTIONS_BY_STATE = buildActionTable();

/** Returns SQL for the allowed actions as a JSON array. */
export function allowedActions(alias: string): string {
  const flag = (condition: string) => `case when ${condition} then '1' else '0' end`;
  const key = [
    `${alias}.status`,
    flag(`${alias}.released_at is not null`),
    flag(`${alias}.viewed_at is not null or ${alias}.sent_at is not null`),
    flag(`${alias}.paid_cents > 0`),
  ].join(' || ');
  return lookUpWords(ACTIONS_BY_STATE, key);
}
