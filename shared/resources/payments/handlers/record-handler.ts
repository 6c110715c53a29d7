import type { Config } from '../../../config/config.js';
import type { Change, Command, CommandOutcome } from '../../../contracts/command.js';
import type { Row, Transaction } from '../../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../../records/record-refs.js';
import { renderRecords } from '../../../records/render-records.js';
import { bookPayments, endsCorrection } from '../../books/store.js';
import { type InvoiceRow, lockInvoices, mayMove, storeLifecycle } from '../../invoices/handlers/lifecycle.js';
import { insertNotices, type NoticeDraft } from '../../notices/store.js';
import { storePayLinkResults } from '../../open-pay-links/store.js';
import { storeTerminalResults, type TerminalResult } from '../../open-terminal-payments/store.js';
import type { PaymentReport } from '../commands.js';
import { applyToInvoice } from '../money.js';
import { findRecordedElsewhere } from '../other-connections.js';
import { buildPaidEvent } from '../paid-event.js';
import { paymentTable } from '../table.js';
import { type FailedPaymentOf, mailFailedPayments } from './failed-payment-mails.js';
import { failedNotice, unappliedNotice } from './payment-notices.js';

type ReportCommand = Command<PaymentReport>;

interface ReportedPayment extends Row, RecordRef {
  invoice_id: string;
  status: 'processing' | 'succeeded' | 'failed';
  applied_cents: number;
  fee_cents: number | null;
  /** The vendor that reported the payment; null if a person recorded it. */
  provider: string | null;
  /** RFC 3339; null for a payment that a person recorded. */
  observed_at: string | null;
}

/** A report that changes the payment, with its effects. */
interface Applied {
  command: ReportCommand;
  /** The payment's invoice after the report was applied. */
  invoice: InvoiceRow;
  appliedCents: number;
  changes: Change[];
  isPaidNow: boolean;
  notice: NoticeDraft | undefined;
}

const UNCHANGED: CommandOutcome = { ok: true, changes: [], events: [] };
const ELSEWHERE = failedOutcome({
  code: 'conflict',
  message: 'An earlier connection to the vendor has recorded this payment.',
});

/**
 * Stores vendors' reports about payments, and applies payments that have arrived to their invoices.
 * A payment is stored once, however often the vendor reports it. Ignores a report that is older
 * (`observed_at`) than the stored report.
 */
export async function recordPayments(
  tx: Transaction,
  commands: ReportCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const invoiceRefs = commands.map(({ tenantId, input }) => ({ tenant_id: tenantId, id: input.invoice_id }));
  const payments = await lockRecords<ReportedPayment>(tx, 'payments', commands.map(toRecordRef));
  const invoices = await lockInvoices(tx, invoiceRefs);
  const elsewhere = await findRecordedElsewhere(tx, commands);
  const outcomes = new Map<string, CommandOutcome>();
  const applied: Applied[] = [];
  for (const command of commands) {
    const invoiceKey = refKey({ tenant_id: command.tenantId, id: command.input.invoice_id });
    const invoice = invoices.get(invoiceKey);
    const stored = payments.get(refKey(toRecordRef(command)));
    if (!invoice) outcomes.set(command.id, notFoundOutcome('invoice'));
    else if (!stored && elsewhere.has(refKey(toRecordRef(command)))) outcomes.set(command.id, ELSEWHERE);
    else if (isOutdated(stored, command.input) || isForeign(stored, command))
      outcomes.set(command.id, UNCHANGED);
    else {
      const one = applyReport(command, invoice, stored);
      invoices.set(invoiceKey, one.invoice);
      applied.push(one);
    }
  }
  await storeApplied(tx, applied);
  await insertNotices(
    tx,
    applied.flatMap(({ command, notice }) => (notice ? [{ command, notice }] : [])),
    config,
  );
  const prompts = await mailFailedPayments(tx, applied.flatMap(listReturned), config);
  const paid = applied.filter(({ isPaidNow }) => isPaidNow);
  const bodies = await renderRecords(
    tx,
    paymentTable,
    paid.map(({ command }) => toRecordRef(command)),
  );
  for (const { command, invoice, changes, isPaidNow } of applied) {
    const body = bodies.get(refKey(toRecordRef(command)));
    const events = isPaidNow && body ? [buildPaidEvent(invoice, JSON.parse(body))] : [];
    outcomes.set(command.id, { ok: true, changes, events, prompts: prompts.get(command.id) ?? [] });
  }
  return commands.map((command) => outcomes.get(command.id) as CommandOutcome);
}

/**
 * True if the report must not change the stored payment. A payment that has arrived keeps its
 * status, because the invoice counts its amount. Only a refund or a dispute takes the amount back.
 */
function isOutdated(stored: ReportedPayment | undefined, report: PaymentReport): boolean {
  if (!stored) return false;
  if (stored.status === 'succeeded' && report.status !== 'succeeded') return true;
  return stored.observed_at !== null && Date.parse(stored.observed_at) > Date.parse(report.observed_at);
}

/**
 * True if the report comes from the books, but the payment was made in this service or at another
 * vendor. A note in the books marks such a payment, but the bookkeeper may have edited the note.
 */
function isForeign(stored: ReportedPayment | undefined, { input, actor }: ReportCommand): boolean {
  return stored !== undefined && input.is_booked === true && stored.provider !== actor.name;
}

function applyReport(
  command: ReportCommand,
  invoice: InvoiceRow,
  stored: ReportedPayment | undefined,
): Applied {
  const { input } = command;
  const changes = listChanges(stored, input);
  const isPaidNow = input.status === 'succeeded' && stored?.status !== 'succeeded';
  if (!isPaidNow) {
    const notice =
      input.status === 'failed' && stored?.status === 'processing'
        ? failedNotice(command, invoice)
        : undefined;
    return { command, invoice, appliedCents: stored?.applied_cents ?? 0, changes, isPaidNow, notice };
  }
  if (invoice.status !== 'paid' && !mayMove(invoice, 'paid', 'P')) {
    const notice = unappliedNotice(command, invoice);
    return { command, invoice, appliedCents: 0, changes, isPaidNow: false, notice };
  }
  const result = applyToInvoice(invoice, input.amount_cents, input.paid_at);
  const { invoice: next, appliedCents } = result;
  return {
    command,
    invoice: next,
    appliedCents,
    changes: [...changes, ...result.changes],
    isPaidNow,
    notice: undefined,
  };
}

function listChanges(stored: ReportedPayment | undefined, report: PaymentReport): Change[] {
  const names = ['status', 'amount_cents', 'fee_cents'] as const;
  return names.flatMap((field) => {
    if (field === 'amount_cents' && stored?.status === 'succeeded') return [];
    const from = stored?.[field] ?? null;
    const to = report[field] ?? (field === 'fee_cents' ? from : null);
    return from === to ? [] : [{ field, from, to }];
  });
}

/**
 * Returns the payments about which the customer gets a mail: bank debits that failed while they
 * were processing. The account gets a notice as well.
 */
function listReturned({ command, invoice, notice }: Applied): FailedPaymentOf[] {
  if (notice?.kind !== 'payment_failed') return [];
  return [
    { kind: 'debit_returned', command, invoice, amountCents: command.input.amount_cents, reason: null },
  ];
}

const COLUMNS = `tenant_id uuid, id uuid, invoice_id uuid, customer_id uuid, amount_cents bigint, applied_cents bigint, method text,
  received_at timestamptz, status text, provider text, provider_payment_id text, fee_cents bigint, failure_reason text,
  connection_id uuid, pay_link_id uuid, observed_at timestamptz, reference text`;
const NAMES = parseColumnNames(COLUMNS);
const KEPT_NAMES: readonly string[] = [
  'tenant_id',
  'id',
  'invoice_id',
  'customer_id',
  'amount_cents',
  'fee_cents',
  'pay_link_id',
  'reference',
];
const REPLACED_SQL = NAMES.filter((name) => !KEPT_NAMES.includes(name))
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

async function storeApplied(tx: Transaction, applied: readonly Applied[]): Promise<void> {
  if (applied.length === 0) return;
  const rows = applied.map(({ command, invoice, appliedCents }) => ({
    ...command.input,
    ...toRecordRef(command),
    customer_id: invoice.customer_id,
    applied_cents: appliedCents,
    received_at: command.input.paid_at,
    provider: command.actor.name,
    // Store no connection for a payment that is only in the books. Otherwise the worker would ask
    // the accounting vendor to pay out a refund.
    connection_id: command.input.is_booked ? null : command.actor.id,
  }));
  await tx.query({
    name: 'store-reported-payments',
    text: `insert into payments as t (${NAMES.join(', ')}) select ${NAMES.join(', ')} from ${recordsetSql(COLUMNS)}
           on conflict (tenant_id, id) do update set ${REPLACED_SQL},
             amount_cents = case when t.status = 'succeeded' then t.amount_cents else excluded.amount_cents end, fee_cents = coalesce(excluded.fee_cents, t.fee_cents),
             updated_at = ${nextUpdatedAtSql('t')}`,
    values: [JSON.stringify(rows)],
  });
  const paid = applied.filter(({ isPaidNow }) => isPaidNow);
  await Promise.all([
    storeLifecycle(
      tx,
      paid.map(({ invoice }) => invoice),
      new Set(paid.flatMap(({ invoice, changes }) => (endsCorrection(changes) ? [invoice.id] : []))),
    ),
    storePayLinkResults(tx, paid.flatMap(buildPaidLink)),
    storeTerminalResults(tx, applied.flatMap(buildTerminalResult)),
  ]);
  const succeeded = applied.filter(
    ({ command, changes }) =>
      command.input.status === 'succeeded' && changes.some(({ field }) => field === 'status'),
  );
  await bookPayments(
    tx,
    succeeded.map(({ command }) => ({ ...toRecordRef(command), actor: command.actor })),
  );
}

function buildTerminalResult({ command: { tenantId, entityId, input } }: Applied): TerminalResult[] {
  const { terminal_payment_id: id = null, status, failure_reason } = input;
  if (id === null) return [];
  const reason = status === 'failed' ? (failure_reason ?? 'The card was declined.') : null;
  return [{ tenant_id: tenantId, id, status, failure_reason: reason, payment_id: entityId }];
}

function buildPaidLink({ command: { tenantId, input } }: Applied) {
  const { pay_link_id: id } = input;
  return id === null ? [] : [{ tenant_id: tenantId, id, status: 'paid' as const }];
}
