import type { Config } from '../../config/config.js';
import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { diffNewRecord, diffPatch } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { type InvoiceRow, lockInvoices, mayMove } from '../invoices/handlers/lifecycle.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import { type FailedPaymentOf, mailFailedPayments } from '../payments/handlers/failed-payment-mails.js';
import type { SavedMethodRow } from '../saved-methods/store.js';
import type { AutopayReport, NewAutopayAttempt } from './commands.js';
import { type DeclineRule, findDeclineRule, findNextAttempt } from './decline-rules.js';
import {
  type AutopayAttemptRow,
  countFailures,
  type InvoiceAttempts,
  insertAutopayAttempts,
  type NewAttemptRow,
  readConnectionStatuses,
  readInvoiceAttempts,
  storeAutopayAttempts,
} from './store.js';

type StartCommand = Command<NewAutopayAttempt>;
type Notices = { command: Command; notice: NoticeDraft }[];

const UNCHANGED: CommandOutcome = { ok: true, changes: [], events: [] };

const invoiceRef = ({ tenantId, input }: StartCommand): RecordRef => ({
  tenant_id: tenantId,
  id: input.invoice_id,
});
const methodRef = ({ tenantId, input }: StartCommand): RecordRef => ({
  tenant_id: tenantId,
  id: input.payment_method_id,
});

/**
 * Starts charges. A command does nothing if its attempt exists already. It also does nothing if its
 * invoice was paid or changed after the clock found it.
 */
async function startAttempts(
  tx: Transaction,
  commands: StartCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const refs = commands.map(invoiceRef);
  const invoices = await lockInvoices(tx, refs);
  const [methods, known] = await Promise.all([
    lockRecords<SavedMethodRow>(tx, 'saved_methods', commands.map(methodRef)),
    readInvoiceAttempts(tx, refs),
  ]);
  const attempts = new Map(known.map((one) => [refKey(one), one]));
  const connections = await readConnectionStatuses(tx, [...methods.values()]);
  const rows: NewAttemptRow[] = [];
  const notices: Notices = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const invoice = invoices.get(refKey(invoiceRef(command)));
    const method = methods.get(refKey(methodRef(command)));
    const isPretended = method?.connection_id === null;
    const connection = isPretended ? 'active' : method && connections.get(refKey(method));
    const row = invoice && method && planAttempt(command, { invoice, method, attempts, connection });
    if (!row) return UNCHANGED;
    rows.push(row);
    const prompts =
      row.status === 'charging' && row.connection_id !== null
        ? [{ queue: INTEGRATIONS_QUEUE, id: row.connection_id }]
        : [];
    if (row.status === 'failed') notices.push({ command, notice: buildNotice(row, invoice) });
    const { invoice_id, amount_cents, attempt } = row;
    return {
      ok: true,
      changes: diffNewRecord({ invoice_id, amount_cents, attempt }),
      events: [],
      prompts,
    };
  });
  await insertAutopayAttempts(tx, rows);
  await insertNotices(tx, notices, config);
  return outcomes;
}

interface ChargeInputs {
  invoice: InvoiceRow;
  method: SavedMethodRow;
  attempts: Map<string, InvoiceAttempts>;
  /** The status of the method's connection. */
  connection: string | undefined;
}

function planAttempt(
  command: StartCommand,
  { invoice, method, attempts, connection = 'revoked' }: ChargeInputs,
): NewAttemptRow | undefined {
  const key = refKey(invoiceRef(command));
  const known = attempts.get(key);
  const { attempt } = command.input;
  if (!known || known.is_open || known.attempts !== attempt - 1 || !mayMove(invoice, 'paid', 'P'))
    return undefined;
  const amountCents = invoice.total_cents - invoice.paid_cents - known.processing_cents;
  if (amountCents <= 0 || method.customer_id !== invoice.customer_id) return undefined;
  // Start no attempt while the connection is paused or needs new credentials. The clock finds the
  // invoice again later.
  if (!['active', 'failing', 'revoked'].includes(connection)) return undefined;
  const isConnected = connection !== 'revoked';
  attempts.set(key, { ...known, attempts: attempt, is_open: true });
  const isUsable = method.status === 'active' && isConnected;
  return {
    ...toRecordRef(command),
    invoice_id: invoice.id,
    payment_method_id: method.id,
    connection_id: method.connection_id,
    attempt,
    amount_cents: amountCents,
    status: isUsable ? 'charging' : 'failed',
    decline_code: isUsable ? null : 'payment_method_removed',
    failure_reason: isUsable ? null : explainUnusable(isConnected),
  };
}

function explainUnusable(isConnected: boolean): string {
  return isConnected
    ? 'The payment method was removed.'
    : 'The connection to the payments vendor that has the payment method was disconnected.';
}

/** Stores the results of charges, and plans the next attempt after each failed charge. */
async function recordAttempts(
  tx: Transaction,
  commands: Command<AutopayReport>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<AutopayAttemptRow>(tx, 'autopay_attempts', commands.map(toRecordRef));
  const invoices = await lockInvoices(
    tx,
    [...rows.values()].map(({ tenant_id, invoice_id: id }) => ({ tenant_id, id })),
  );
  const failures = await countFailures(tx, [...rows.values()]);
  const notices: Notices = [];
  const failed: FailedPaymentOf[] = [];
  const changed = new Map<string, AutopayAttemptRow>();
  const outcomes = commands.map((command): CommandOutcome => {
    const key = refKey(toRecordRef(command));
    const row = rows.get(key);
    if (!row) return notFoundOutcome('autopay attempt');
    if (row.status !== 'charging' && row.status !== 'processing') return UNCHANGED;
    const patch = planReport(command.input, (failures.get(key) ?? 0) + 1);
    const next = { ...row, ...patch };
    rows.set(key, next);
    changed.set(key, next);
    const invoice = invoices.get(refKey({ tenant_id: row.tenant_id, id: row.invoice_id }));
    if (next.status === 'failed' && next.next_attempt_at === null && invoice) {
      notices.push({ command, notice: buildNotice(next, invoice) });
      // Mail the customer only if the charge failed at once. A debit that fails days later has a
      // payment, and the command that records the payment's failure sends the mail. If the outcome
      // is unknown, the account must check first.
      const isKnown = findDeclineRule(next.decline_code) !== 'check';
      if (row.status === 'charging' && isKnown) failed.push(toFailedPayment(command, next, invoice));
    }
    return { ok: true, changes: diffPatch(row, { ...patch }), events: [] };
  });
  await storeAutopayAttempts(tx, [...changed.values()]);
  await insertNotices(tx, notices, config);
  const prompts = await mailFailedPayments(tx, failed, config);
  return commands.map((command, index) => {
    const outcome = outcomes[index] as CommandOutcome;
    return outcome.ok ? { ...outcome, prompts: prompts.get(command.id) ?? [] } : outcome;
  });
}

function toFailedPayment(
  command: Command,
  { amount_cents, decline_code }: AutopayAttemptRow,
  invoice: InvoiceRow,
): FailedPaymentOf {
  return { kind: 'charge_failed', command, invoice, amountCents: amount_cents, reason: decline_code };
}

function planReport(
  report: AutopayReport,
  failures: number,
): AutopayReport & { next_attempt_at?: string | null } {
  // The charge was not made, for example because the invoice has changed. Make the next attempt due
  // immediately. The clock skips an invoice that owes nothing.
  if (report.status === 'cancelled') return { ...report, next_attempt_at: new Date().toISOString() };
  if (report.status !== 'failed') return report;
  const next = findNextAttempt(report.decline_code ?? null, failures, new Date());
  return { ...report, next_attempt_at: next?.toISOString() ?? null };
}

const ADVICE: Readonly<Record<DeclineRule, string>> = {
  retry: 'It was the last try. Another payment method in autopay charges the invoice again.',
  ask: 'The customer has to pay another way. Another payment method in autopay charges the invoice again.',
  stop: 'It is not tried again. Another payment method in autopay charges the invoice again.',
  check: 'Look at the payments vendor whether the customer was charged, and record the payment if so.',
};

function buildNotice(
  { invoice_id, decline_code, failure_reason }: NewAttemptRow,
  { invoice_number }: InvoiceRow,
): NoticeDraft {
  const advice = ADVICE[findDeclineRule(decline_code)];
  return {
    kind: 'autopay_failed',
    title: `Invoice ${invoice_number} could not be charged automatically`,
    text: `${failure_reason ?? 'The vendor did not say why.'} ${advice}`,
    entity_type: 'invoice',
    entity_id: invoice_id,
  };
}

export const autopayAttemptHandlers: CommandHandlers = {
  'autopay_attempt.create': startAttempts,
  'autopay_attempt.record': recordAttempts,
};
