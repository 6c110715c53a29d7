import { findPastDue } from '../../billing/past-due.js';
import type { Config } from '../../config/config.js';
import type { Change, Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../records/record-refs.js';
import { type InvoiceRow, lockInvoices, mayMove, storeLifecycle } from '../invoices/handlers/lifecycle.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import { mailFailedPayments } from '../payments/handlers/failed-payment-mails.js';
import { applyRefund } from '../payments/money.js';
import {
  findVendorPayments,
  insertRefunds,
  type RefundablePayment,
  storeRefundedAmounts,
} from '../payments/refund-rows.js';
import type { DisputeReport } from './commands.js';
import { type DisputeRow, sendEvidence } from './evidence-handler.js';

type ReportCommand = Command<DisputeReport>;

/**
 * Stores the vendors' reports about disputes. An open dispute makes its invoice disputed. A lost
 * dispute takes the payment back, and a won dispute makes the invoice undisputed. Commands run one
 * by one, because several may concern the same payment.
 */
async function recordDisputes(
  tx: Transaction,
  commands: ReportCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const payments = await findVendorPayments(
    tx,
    commands.map(({ tenantId, actor, input }) => ({
      tenant_id: tenantId,
      connection_id: actor.id,
      provider_payment_id: input.provider_payment_id,
    })),
  );
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) {
    const ref = payments.get(`${command.actor.id}/${command.input.provider_payment_id}`);
    outcomes.push(ref ? await recordDispute(tx, { command, ref, config }) : notFoundOutcome('payment'));
  }
  return outcomes;
}

async function recordDispute(
  tx: Transaction,
  { command, ref, config }: { command: ReportCommand; ref: RecordRef; config: Config },
): Promise<CommandOutcome> {
  const disputeRef = toRecordRef(command);
  const payment = (await lockRecords<RefundablePayment>(tx, 'payments', [ref])).get(
    refKey(ref),
  ) as RefundablePayment;
  const stored = (await lockRecords<DisputeRow>(tx, 'disputes', [disputeRef])).get(refKey(disputeRef));
  const { input } = command;
  if (stored && isOutdated(stored, input)) return { ok: true, changes: [], events: [] };
  const invoiceRef = { tenant_id: payment.tenant_id, id: payment.invoice_id };
  const [invoices, pastDue] = await Promise.all([
    lockInvoices(tx, [invoiceRef]),
    findPastDue(tx, [invoiceRef]),
  ]);
  const invoice = invoices.get(refKey(invoiceRef)) as InvoiceRow;
  const facts = { payment, invoice, isPastDue: pastDue.size > 0 };
  const next = stored?.status === input.status ? { payment, invoice } : applyStatus(facts, input);
  const takenCents = next.payment.refunded_cents - payment.refunded_cents;
  const refundId = takenCents > 0 ? newId() : null;
  if (refundId !== null)
    await insertRefunds(tx, [
      {
        tenant_id: payment.tenant_id,
        id: refundId,
        payment_id: payment.id,
        amount_cents: takenCents,
        reason: input.is_return
          ? `The bank returned the debit: ${input.reason}`
          : `Dispute lost: ${input.reason}`,
        status: 'succeeded',
        connection_id: command.actor.id,
        observed_at: input.observed_at,
      },
    ]);
  if (next.payment !== payment) await storeRefundedAmounts(tx, [next.payment]);
  if (next.invoice !== invoice) await storeLifecycle(tx, [next.invoice]);
  await storeDispute(tx, { command, payment, refundId });
  const notice = stored?.status === input.status ? undefined : buildNotice(command, invoice);
  await insertNotices(tx, notice ? [{ command, notice }] : [], config);
  const isReturnedNow = notice?.kind === 'payment_returned' && input.is_return;
  const returned = {
    kind: 'debit_returned' as const,
    command,
    invoice: next.invoice,
    amountCents: input.amount_cents,
    reason: input.reason,
  };
  const prompts = await mailFailedPayments(tx, isReturnedNow ? [returned] : [], config);
  return {
    ok: true,
    changes: listChanges(stored, input, [invoice, next.invoice]),
    events: [],
    prompts: prompts.get(command.id) ?? [],
  };
}

/**
 * True if the report is older than the stored state. An older report must not reopen a dispute that
 * was decided.
 */
function isOutdated(stored: DisputeRow, { observed_at, status }: DisputeReport): boolean {
  if (Date.parse(stored.observed_at) > Date.parse(observed_at)) return true;
  return stored.status === 'lost' && status !== 'lost';
}

interface DisputedMoney {
  payment: RefundablePayment;
  invoice: InvoiceRow;
  isPastDue: boolean;
}

function applyStatus(
  facts: DisputedMoney,
  { status, amount_cents, reason }: DisputeReport,
): { payment: RefundablePayment; invoice: InvoiceRow } {
  const { payment, invoice } = facts;
  if (status === 'open') {
    if (!mayMove(invoice, 'disputed', 'P')) return { payment, invoice };
    return {
      payment,
      invoice: { ...invoice, status: 'disputed', status_reason: `Payment disputed: ${reason}` },
    };
  }
  const settled = invoice.status === 'disputed' ? settleStatus(invoice) : invoice;
  if (status === 'won') return { payment, invoice: settled };
  const leftCents = payment.amount_cents - payment.refunded_cents;
  return applyRefund({ ...facts, invoice: settled }, Math.min(amount_cents, leftCents));
}

/**
 * Makes a disputed invoice paid or partially paid again, according to its paid amount. Call this
 * function when a dispute ends. If the account lost the dispute, apply the refund afterwards.
 */
function settleStatus(invoice: InvoiceRow): InvoiceRow {
  const status = invoice.paid_cents >= invoice.total_cents ? 'paid' : 'partially_paid';
  return { ...invoice, status, status_reason: null };
}

const COLUMNS = `tenant_id uuid, id uuid, payment_id uuid, invoice_id uuid, connection_id uuid, provider_dispute_id text,
  amount_cents bigint, reason text, status text, respond_by timestamptz, refund_id uuid, observed_at timestamptz`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

async function storeDispute(
  tx: Transaction,
  {
    command,
    payment,
    refundId,
  }: { command: ReportCommand; payment: RefundablePayment; refundId: string | null },
): Promise<void> {
  const row = {
    ...command.input,
    ...toRecordRef(command),
    payment_id: payment.id,
    invoice_id: payment.invoice_id,
    connection_id: command.actor.id,
    refund_id: refundId,
  };
  await tx.query({
    name: 'store-dispute',
    text: `insert into disputes as t (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}
           on conflict (tenant_id, id) do update set status = excluded.status, respond_by = excluded.respond_by,
             amount_cents = excluded.amount_cents, reason = excluded.reason, observed_at = excluded.observed_at,
             refund_id = coalesce(t.refund_id, excluded.refund_id), updated_at = ${nextUpdatedAtSql('t')}`,
    values: [JSON.stringify([row])],
  });
}

function listChanges(
  stored: DisputeRow | undefined,
  { status }: DisputeReport,
  [before, after]: [InvoiceRow, InvoiceRow],
): Change[] {
  return [
    ...(stored?.status === status ? [] : [{ field: 'status', from: stored?.status ?? null, to: status }]),
    ...(before.status === after.status
      ? []
      : [{ field: 'invoice.status', from: before.status, to: after.status }]),
  ];
}

function buildNotice(
  { entityId, input }: ReportCommand,
  { invoice_number }: InvoiceRow,
): NoticeDraft | undefined {
  const { status, reason, respond_by, is_return } = input;
  const entity = { entity_type: 'dispute', entity_id: entityId };
  if (status === 'won') return undefined;
  if (status === 'lost')
    return {
      kind: 'payment_returned',
      title: `The payment of invoice ${invoice_number} was taken back`,
      text: `${is_return ? 'The bank returned the debit' : 'The dispute is lost'}: ${reason}. The invoice is open again, so ask the customer to pay in another way.`,
      ...entity,
    };
  const until = respond_by ? ` Send evidence until ${respond_by.slice(0, 10)}.` : '';
  return {
    kind: 'payment_disputed',
    title: `The payment of invoice ${invoice_number} is disputed`,
    text: `The customer's bank wants it back: ${reason}.${until}`,
    ...entity,
  };
}

export const disputeHandlers: CommandHandlers = {
  'dispute.record': recordDisputes,
  'dispute.send_evidence': sendEvidence,
};
