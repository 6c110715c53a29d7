import { effectiveDueDate } from '../../billing/effective-due-date.js';
import type { Command } from '../../contracts/command.js';
import { deriveTimedId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import {
  type AutopayReport,
  type NewAutopayAttempt,
  recordAutopayAttempt,
  startAutopayAttempt,
} from './commands.js';
import { LATE_FAILURE, UNKNOWN_OUTCOME } from './decline-rules.js';

interface DueCharge extends ClockTarget, Pick<NewAutopayAttempt, 'payment_method_id' | 'attempt'> {
  released_at: string;
}

/**
 * The statuses of invoices that autopay may charge. A disputed invoice waits for a decision by a
 * person.
 */
const CHARGEABLE = `('sending', 'viewed', 'partially_paid', 'overdue', 'failed')`;

const COLUMNS = 'i.tenant_id, i.id, i.customer_id, i.balance_due_cents, i.released_at, i.due_date';

/**
 * SQL for the open invoices of account `t` that have autopay. If the customer and the recurring
 * invoice both have autopay, the autopay of the recurring invoice applies.
 */
const WITH_AUTOPAY = `select ${COLUMNS}, coalesce(r.autopay, c.autopay) as autopay from customers c
    join invoices i on i.tenant_id = c.tenant_id and i.customer_id = c.id
    left join recurring_invoices r on r.tenant_id = i.tenant_id and r.id = i.recurring_invoice_id
  where c.tenant_id = t.tenant_id and c.autopay is not null and i.status in ${CHARGEABLE}
  union
  select ${COLUMNS}, r.autopay from recurring_invoices r
    join invoices i on i.tenant_id = r.tenant_id and i.customer_id = r.customer_id and i.recurring_invoice_id = r.id
  where r.tenant_id = t.tenant_id and r.autopay is not null and i.status in ${CHARGEABLE}`;

/**
 * Finds invoices to charge. An invoice must meet three conditions:
 * - The invoice was sent after autopay was set, and autopay's `when` allows the charge now.
 * - The invoice has no attempt yet, the next attempt is due, or autopay has a new payment method
 *   since the last attempt failed.
 * - No open claim of the invoice is at a billing partner, which may still collect the same money.
 */
async function findDueCharges(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<DueCharge>(tx, {
    name: 'sweep-due-charges',
    rows: `select i.tenant_id, i.id, (i.autopay->>'payment_method_id')::uuid as payment_method_id,
             to_json(i.released_at)#>>'{}' as released_at, coalesce(a.attempt, 0) + 1 as attempt
           from (${WITH_AUTOPAY}) i
           left join lateral (select l.attempt, l.status, l.next_attempt_at, l.decline_code, l.payment_method_id from autopay_attempts l
             where l.tenant_id = i.tenant_id and l.invoice_id = i.id order by l.attempt desc limit 1) a on true
           where i.balance_due_cents > 0 and i.released_at >= (i.autopay->>'since')::timestamptz
             and (i.autopay->>'when' = 'release'
               or (${effectiveDueDate('i')} at time zone t.time_zone)::date <= (now() at time zone t.time_zone)::date)
             and (a.attempt is null or a.next_attempt_at <= now() or (a.status = 'failed'
               and a.decline_code is distinct from '${UNKNOWN_OUTCOME}' and a.payment_method_id::text <> i.autopay->>'payment_method_id'))
             and not exists (select from payments p where p.tenant_id = i.tenant_id and p.invoice_id = i.id and p.status = 'processing')
             and not exists (select from claims m where m.tenant_id = i.tenant_id and m.invoice_id = i.id and m.connection_id is not null
               and m.status not in ('paid', 'withdrawn', 'expired'))
           order by i.released_at, i.id`,
    limit,
  });
  return rows.map(({ id: invoice_id, payment_method_id, attempt, released_at, ...account }) => {
    const id = deriveTimedId(Date.parse(released_at), `autopay ${invoice_id}/${attempt}`);
    const target = { ...account, id };
    return buildClockCommand(startAutopayAttempt, target, { invoice_id, payment_method_id, attempt });
  });
}

interface EndedCharge extends ClockTarget {
  payment_status: 'succeeded' | 'failed';
  failure_reason: string | null;
}

/** Finds attempts by bank debit whose payment has succeeded or failed after some days. */
async function findEndedCharges(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<EndedCharge>(tx, {
    name: 'sweep-ended-charges',
    rows: `select a.tenant_id, a.id, p.status as payment_status, p.failure_reason from autopay_attempts a
           join payments p on p.tenant_id = a.tenant_id and p.invoice_id = a.invoice_id
             and p.provider_payment_id = a.provider_payment_id
           where a.tenant_id = t.tenant_id and a.status = 'processing' and p.status <> 'processing' order by a.id`,
    limit,
  });
  return rows.map(({ payment_status: status, failure_reason, ...target }) => {
    const report: AutopayReport = {
      status,
      ...(status === 'failed' ? { failure_reason, decline_code: LATE_FAILURE } : {}),
    };
    return buildClockCommand(recordAutopayAttempt, target, report);
  });
}

async function findCharges(tx: Transaction, limit: number): Promise<Command[]> {
  const [due, ended] = await Promise.all([findDueCharges(tx, limit), findEndedCharges(tx, limit)]);
  return [...due, ...ended];
}

export const autopaySweep: CommandSweep = {
  name: 'charge-invoices',
  everyMs: 30_000,
  find: findCharges,
  limit: 1_000,
};
