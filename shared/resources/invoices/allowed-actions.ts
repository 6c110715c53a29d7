import { INVOICE_STATUSES } from '../../contracts/vocabulary.js';
import { actionsOf } from './transitions.js';

const EITHER = [false, true];

/** Every state with what the table's conditions look at, and the actions it allows: `draft000` → `["approve","cancel"]`. */
function everyAnswer(): Record<string, string> {
  const answers: Record<string, string> = {};
  for (const status of INVOICE_STATUSES)
    for (const released of EITHER)
      for (const delivered of EITHER)
        for (const paid of EITHER) {
          const key = `${status}${Number(released)}${Number(delivered)}${Number(paid)}`;
          answers[key] = JSON.stringify(actionsOf({ status, released, delivered }, paid));
        }
  return answers;
}

const ANSWERS = JSON.stringify(everyAnswer());

/**
 * The moves that an operator may make now, as a JSON array: the transition table looked up by SQL. One constant instead of a case for each state,
 * because PostgreSQL sets up every branch for every read (a read of one invoice took twice as long; measured).
 */
export function allowedActions(alias: string): string {
  const flag = (condition: string) => `case when ${condition} then '1' else '0' end`;
  const key = [
    `${alias}.status`,
    flag(`${alias}.released_at is not null`),
    flag(`${alias}.viewed_at is not null or ${alias}.sent_at is not null`),
    flag(`${alias}.paid_cents > 0`),
  ].join(' || ');
  return `('${ANSWERS}'::jsonb ->> (${key}))::json`;
}
