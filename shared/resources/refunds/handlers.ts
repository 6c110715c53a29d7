import { findPastDue } from '../../billing/past-due.js';
import type { Config } from '../../config/config.js';
import type { Change, Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { CORRECTED } from '../books/store.js';
import { type InvoiceRow, lockInvoices, storeLifecycle } from '../invoices/handlers/lifecycle.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import { applyRefund, undoRefund } from '../payments/money.js';
import {
  findVendorPayments,
  insertRefunds,
  type RefundablePayment,
  storeRefundedAmounts,
  storeRefundResults,
} from '../payments/refund-rows.js';
import type { RefundReport } from './commands.js';

type ReportCommand = Command<RefundReport>;

interface StoredRefund extends Row, RecordRef {
  payment_id: string;
  amount_cents: number;
  status: 'pending' | 'succeeded' | 'failed';
  observed_at: string | null;
}

const UNCHANGED: CommandOutcome = { ok: true, changes: [], events: [] };

/**
 * Stores vendors' reports about refunds. Adds refunds that were made at the vendor. Undoes refunds
 * that could not be paid out, even if the vendor reports this days later. Commands run one by one,
 * because several may concern the same payment.
 */
async function recordRefunds(
  tx: Transaction,
  commands: ReportCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const stored = await lockRecords<StoredRefund>(tx, 'refunds', commands.map(toRecordRef));
  const known = await findVendorPayments(tx, commands.flatMap(toVendorPayment));
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) {
    const refund = stored.get(refKey(toRecordRef(command)));
    const ref = refund
      ? { tenant_id: refund.tenant_id, id: refund.payment_id }
      : known.get(`${command.actor.id}/${command.input.provider_payment_id}`);
    outcomes.push(
      ref ? await recordRefund(tx, { command, stored: refund, ref, config }) : notFoundOutcome('payment'),
    );
  }
  return outcomes;
}

function toVendorPayment({ tenantId, actor, input: { provider_payment_id } }: ReportCommand) {
  return provider_payment_id === null
    ? []
    : [{ tenant_id: tenantId, connection_id: actor.id, provider_payment_id }];
}

interface Recording {
  command: ReportCommand;
  stored: StoredRefund | undefined;
  /** The refunded payment. */
  ref: RecordRef;
  config: Config;
}

async function recordRefund(
  tx: Transaction,
  { command, stored, ref, config }: Recording,
): Promise<CommandOutcome> {
  const refundRef = toRecordRef(command);
  const payment = (await lockRecords<RefundablePayment>(tx, 'payments', [ref])).get(
    refKey(ref),
  ) as RefundablePayment;
  const invoiceRef = { tenant_id: payment.tenant_id, id: payment.invoice_id };
  const [invoices, pastDue] = await Promise.all([
    lockInvoices(tx, [invoiceRef]),
    findPastDue(tx, [invoiceRef]),
  ]);
  const invoice = invoices.get(refKey(invoiceRef)) as InvoiceRow;
  const { input } = command;
  if (isOutdated(stored, input)) return UNCHANGED;
  const counted = stored !== undefined && stored.status !== 'failed';
  const counts = input.status !== 'failed';
  const amountCents =
    stored?.amount_cents ?? Math.min(input.amount_cents ?? 0, payment.amount_cents - payment.refunded_cents);
  // Store the refund without counting it if nothing of the payment is left to refund. People may
  // have recorded the refund here by hand before the vendor reports it.
  if (!stored && amountCents <= 0) return insertUncounted(tx, command, payment);
  const before = { payment, invoice, isPastDue: pastDue.size > 0 };
  const after =
    counts === counted ? before : counts ? applyRefund(before, amountCents) : undoRefund(before, amountCents);
  const { failure_reason, observed_at, status } = input;
  if (stored) await storeRefundResults(tx, [{ ...refundRef, status, failure_reason, observed_at }]);
  else
    await insertRefunds(tx, [
      {
        ...refundRef,
        payment_id: payment.id,
        amount_cents: amountCents,
        reason: `Refunded at ${command.actor.name}`,
        status,
        connection_id: command.actor.id,
        observed_at,
      },
    ]);
  await storeRefundedAmounts(tx, [after.payment]);
  if (after.invoice !== invoice) {
    const isReissued = CORRECTED.includes(invoice.status) && !CORRECTED.includes(after.invoice.status);
    await storeLifecycle(tx, [after.invoice], new Set(isReissued ? [invoice.id] : []));
  }
  if (counted && !counts)
    await insertNotices(tx, [{ command, notice: failedNotice(command, invoice) }], config);
  return {
    ok: true,
    changes: listChanges({ stored, input, before: invoice, after: after.invoice }),
    events: [],
  };
}

/**
 * True if the report must not change the stored refund. A refund that has succeeded or failed never
 * becomes pending again, but a successful refund may still fail days later.
 */
function isOutdated(stored: StoredRefund | undefined, { status, observed_at }: RefundReport): boolean {
  if (!stored) return false;
  if (stored.status === status) return true;
  if (status === 'pending') return true;
  return stored.observed_at !== null && Date.parse(stored.observed_at) > Date.parse(observed_at);
}

async function insertUncounted(
  tx: Transaction,
  command: ReportCommand,
  payment: RefundablePayment,
): Promise<CommandOutcome> {
  const { amount_cents: reportedCents, observed_at } = command.input;
  const amount_cents = reportedCents ?? 0;
  if (amount_cents <= 0) return notFoundOutcome('refund');
  await insertRefunds(tx, [
    {
      ...toRecordRef(command),
      payment_id: payment.id,
      amount_cents,
      reason: 'The payment was refunded here before',
      status: 'failed',
      connection_id: command.actor.id,
      observed_at,
    },
  ]);
  return { ok: true, changes: [{ field: 'amount_cents', from: null, to: amount_cents }], events: [] };
}

function listChanges({
  stored,
  input,
  before,
  after,
}: {
  stored: StoredRefund | undefined;
  input: RefundReport;
  before: InvoiceRow;
  after: InvoiceRow;
}): Change[] {
  return [
    { field: 'status', from: stored?.status ?? null, to: input.status },
    ...(before.status === after.status
      ? []
      : [{ field: 'invoice.status', from: before.status, to: after.status }]),
  ];
}

function failedNotice({ entityId, input }: ReportCommand, { invoice_number }: InvoiceRow): NoticeDraft {
  return {
    kind: 'refund_failed',
    title: `A refund for invoice ${invoice_number} could not be paid out`,
    text: `${input.failure_reason ?? 'The vendor did not say why.'} The amount counts as paid again. Pay the customer back in another way.`,
    entity_type: 'refund',
    entity_id: entityId,
  };
}

export const refundHandlers: CommandHandlers = { 'refund.record': recordRefunds };
