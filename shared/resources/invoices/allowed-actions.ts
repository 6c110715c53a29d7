import { INVOICE_STATUSES } from '../../contracts/vocabulary.js';
import { actionsOf, type InvoiceStatus } from './transitions.js';

/** What `allowed_actions` depends on beside the status, as SQL over an alias. */
const CONDITIONS = [
  { name: 'released', sql: (alias: string) => `${alias}.released_at is not null` },
  {
    name: 'delivered',
    sql: (alias: string) => `(${alias}.viewed_at is not null or ${alias}.sent_at is not null)`,
  },
  { name: 'paid', sql: (alias: string) => `${alias}.paid_cents > 0` },
] as const;

type Known = Partial<Record<(typeof CONDITIONS)[number]['name'], boolean>>;

function constant(status: InvoiceStatus, known: Known): string {
  const { released = false, delivered = false, paid = false } = known;
  return `'${JSON.stringify(actionsOf({ status, released, delivered }, paid))}'::json`;
}

/** A condition is asked only where the answer differs. */
function expression(status: InvoiceStatus, alias: string, known: Known, index = 0): string {
  const condition = CONDITIONS[index];
  if (!condition) return constant(status, known);
  const yes = expression(status, alias, { ...known, [condition.name]: true }, index + 1);
  const no = expression(status, alias, { ...known, [condition.name]: false }, index + 1);
  return yes === no ? yes : `case when ${condition.sql(alias)} then ${yes} else ${no} end`;
}

/** The moves that an operator may make now, as a JSON array: the transition table written as SQL. */
export function allowedActions(alias: string): string {
  const branches = INVOICE_STATUSES.map((status) => `when '${status}' then ${expression(status, alias, {})}`);
  return `case ${alias}.status ${branches.join(' ')} end`;
}
