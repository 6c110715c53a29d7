import type { Config } from '../../config/config.js';
import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { diffNewRecord } from '../../records/changes.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { lockInvoices } from '../invoices/handlers/lifecycle.js';
import {
  IS_OPEN_SQL,
  insertTerminalPayments,
  type NewTerminalPayment,
} from '../open-terminal-payments/store.js';
import { planAmount, sumProcessingPayments } from '../payments/payable.js';
import { IS_PRETENDING_SQL, PRETEND_READER_ID } from '../terminal-readers/pretend-reader.js';
import type { InvoiceTerminalPayment } from './commands.js';
import { buildTapUrl } from './pretend-url.js';

type CreateCommand = Command<InvoiceTerminalPayment>;

/** Milliseconds for which a reader waits for a card. */
const WAIT_MS = 120_000;

/** A reader on which a payment can start. */
interface UsableReader extends RecordRef {
  /** Null for the reader of a sandbox that pretends payments. */
  connection_id: string | null;
  allows_partial_payments: boolean;
}

const invoiceRef = ({ tenantId, input }: CreateCommand): RecordRef => ({
  tenant_id: tenantId,
  id: input.invoice_id,
});
const readerRef = ({ tenantId, input }: CreateCommand): RecordRef => ({
  tenant_id: tenantId,
  id: input.reader_id,
});

/** Starts payments on card readers for the balances of invoices. */
export async function createTerminalPayments(
  tx: Transaction,
  commands: CreateCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const invoices = await lockInvoices(tx, commands.map(invoiceRef));
  const readers = await lockReaders(tx, commands.map(readerRef));
  const [processing, charging, busy] = await Promise.all([
    sumProcessingPayments(tx, commands.map(invoiceRef)),
    findCharging(tx, commands.map(invoiceRef)),
    findBusy(
      tx,
      commands.flatMap((command) => [invoiceRef(command), readerRef(command)]),
    ),
  ]);
  const payments: NewTerminalPayment[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const invoice = invoices.get(refKey(invoiceRef(command)));
    if (!invoice) return notFoundOutcome('invoice');
    const reader = readers.get(refKey(readerRef(command)));
    if (!reader) return failUnknownReader();
    const amountCents = planAmount(
      {
        invoice,
        processingCents: processing.get(refKey(invoiceRef(command))) ?? 0,
        allowsPartialPayments: reader.allows_partial_payments,
      },
      command.input.amount_cents,
    );
    if (typeof amountCents !== 'number') return amountCents;
    if (charging.has(refKey(invoiceRef(command))))
      return failBusy('This invoice is being charged automatically.');
    if (busy.has(refKey(invoiceRef(command)))) return failBusy('This invoice waits for a card already.');
    if (busy.has(refKey(readerRef(command)))) return failBusy('This reader waits for a card already.');
    payments.push(buildPayment(command, { reader, amountCents, config }));
    const { invoice_id, reader_id } = command.input;
    const { connection_id } = reader;
    return {
      ok: true,
      changes: diffNewRecord({ invoice_id, reader_id, amount_cents: amountCents }),
      events: [],
      prompts: connection_id === null ? [] : [{ queue: INTEGRATIONS_QUEUE, id: connection_id }],
    };
  });
  await insertTerminalPayments(tx, payments);
  return outcomes;
}

function buildPayment(
  command: CreateCommand,
  { reader, amountCents, config }: { reader: UsableReader; amountCents: number; config: Config },
): NewTerminalPayment {
  const { tenantId, entityId: terminalPaymentId, input } = command;
  const { connection_id } = reader;
  return {
    ...toRecordRef(command),
    invoice_id: input.invoice_id,
    reader_id: input.reader_id,
    connection_id,
    amount_cents: amountCents,
    pretend_url: connection_id === null ? buildTapUrl(config, { tenantId, terminalPaymentId }) : null,
    expires_at: new Date(Date.now() + WAIT_MS).toISOString(),
  };
}

/**
 * Locks the readers on which payments can start. Omits removed readers, and readers whose
 * connection was revoked.
 */
async function lockReaders(tx: Transaction, refs: readonly RecordRef[]): Promise<Map<string, UsableReader>> {
  const rows = await tx.query<UsableReader>({
    name: 'lock-usable-readers',
    text: `select d.tenant_id, d.id, d.connection_id, coalesce((c.settings->>'partial_payments')::boolean, false) as allows_partial_payments
           from terminal_readers d join connections c on c.tenant_id = d.tenant_id and c.id = d.connection_id and c.status <> 'revoked'
           where d.status <> 'removed' and (d.tenant_id, d.id) in (select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')})
           order by d.tenant_id, d.id for update of d`,
    values: [JSON.stringify(refs)],
  });
  const pretending = refs.some(({ id }) => id === PRETEND_READER_ID) ? await findPretending(tx, refs) : [];
  return new Map([...rows, ...pretending].map((row) => [refKey(row), row]));
}

/** Finds the accounts that have the pretend reader: sandboxes without a payments vendor. */
function findPretending(tx: Transaction, refs: readonly RecordRef[]): Promise<UsableReader[]> {
  return tx.query<UsableReader>({
    name: 'find-pretend-readers',
    text: `select t.tenant_id, $2::uuid as id, null as connection_id, true as allows_partial_payments
           from tenants t where t.tenant_id = any($1::uuid[]) and ${IS_PRETENDING_SQL}`,
    values: [refs.map(({ tenant_id }) => tenant_id), PRETEND_READER_ID],
  });
}

/** Finds the invoices and readers that have an unfinished terminal payment. */
async function findBusy(tx: Transaction, refs: readonly RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<{ tenant_id: string; invoice_id: string; reader_id: string }>({
    name: 'find-open-terminal-payments',
    text: `select t.tenant_id, t.invoice_id, t.reader_id from terminal_payments t where ${IS_OPEN_SQL}
             and t.tenant_id in (select r.tenant_id from ${recordsetSql('tenant_id uuid')})`,
    values: [JSON.stringify(refs)],
  });
  return new Set(
    rows.flatMap(({ tenant_id, invoice_id, reader_id }) => [
      refKey({ tenant_id, id: invoice_id }),
      refKey({ tenant_id, id: reader_id }),
    ]),
  );
}

/** @returns the `refKey` of each invoice that autopay is charging */
async function findCharging(tx: Transaction, invoices: readonly RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'find-charging-attempts',
    text: `select a.tenant_id, a.invoice_id as id from ${recordsetSql('tenant_id uuid, id uuid')}
           join autopay_attempts a on a.tenant_id = r.tenant_id and a.invoice_id = r.id and a.status = 'charging'`,
    values: [JSON.stringify(invoices)],
  });
  return new Set(rows.map(refKey));
}

function failUnknownReader(): CommandOutcome {
  const message = 'reader_id is none of your card readers. GET /terminal-readers lists them';
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'reader_id', code: 'unknown', message }],
  });
}

function failBusy(sentence: string): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: `${sentence} Wait until its payment has ended, or cancel that payment.`,
  });
}
