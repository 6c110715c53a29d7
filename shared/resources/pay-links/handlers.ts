import type { Config } from '../../config/config.js';
import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { diffNewRecord } from '../../records/changes.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { type InvoiceRow, lockInvoices, setPayLinks } from '../invoices/handlers/lifecycle.js';
import { buildPretendUrl } from '../open-pay-links/pretend-page.js';
import { insertPayLinks, type NewPayLink, storePayLinkResults } from '../open-pay-links/store.js';
import { planAmount, sumProcessingPayments } from '../payments/payable.js';
import { findPaymentsConnections, type PaymentsConnection } from '../payments/payments-connection.js';
import type { InvoicePayLink, PayLinkOutcome } from './commands.js';
import { findCurrentAmounts, PAGE_IS_OPEN } from './queries.js';

type CreateCommand = Command<InvoicePayLink>;

const invoiceRef = ({ tenantId, input }: CreateCommand): RecordRef => ({
  tenant_id: tenantId,
  id: input.invoice_id,
});

/** Opens pay links for the balances of invoices, and closes the links that they replace. */
async function createPayLinks(
  tx: Transaction,
  commands: CreateCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const [invoices, connections] = await Promise.all([
    lockInvoices(tx, commands.map(invoiceRef)),
    findPaymentsConnections(
      tx,
      commands.map(({ tenantId }) => tenantId),
    ),
  ]);
  const [processing, currentAmounts] = await Promise.all([
    sumProcessingPayments(tx, commands.map(invoiceRef)),
    findCurrentAmounts(
      tx,
      commands.flatMap((command) => toNewestLink(command, invoices)),
    ),
  ]);
  const links: NewPayLink[] = [];
  const replaced: RecordRef[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const ref = invoiceRef(command);
    const invoice = invoices.get(refKey(ref));
    if (!invoice) return notFoundOutcome('invoice');
    const connection = connections.get(command.tenantId);
    if (!connection && command.environment === 'live') return failNoConnection();
    const processingCents = processing.get(refKey(ref)) ?? 0;
    const planned = planLink(command, { invoice, connection, processingCents });
    if ('ok' in planned) return planned;
    // The button of the invoice page must lead all windows to one page. A person who asks for a
    // pay link gets a new one.
    const [newest] = command.input.return_path === undefined ? [] : toNewestLink(command, invoices);
    if (newest && currentAmounts.get(refKey(newest)) === planned.amount_cents) return failOpenAlready();
    links.push(connection ? planned : { ...planned, ...openPretendPage(command, config) });
    if (invoice.pay_link_id !== null) replaced.push({ tenant_id: ref.tenant_id, id: invoice.pay_link_id });
    const { amount_cents, invoice_id } = planned;
    return {
      ok: true,
      changes: diffNewRecord({ invoice_id, amount_cents }),
      events: [],
      prompts: connection ? [{ queue: INTEGRATIONS_QUEUE, id: connection.id }] : [],
    };
  });
  await insertPayLinks(tx, links, replaced);
  await setPayLinks(tx, links);
  return outcomes;
}

/** Returns the newest pay link of the command's invoice, or an empty list. */
function toNewestLink(command: CreateCommand, invoices: ReadonlyMap<string, InvoiceRow>): RecordRef[] {
  const invoice = invoices.get(refKey(invoiceRef(command)));
  const id = invoice?.pay_link_id ?? null;
  return invoice && id !== null ? [{ tenant_id: invoice.tenant_id, id }] : [];
}

const PRETEND_PAGE_MS = 23 * 3_600_000;

/**
 * Returns the address of a pretend page, for a sandbox without a vendor. The page is open
 * immediately.
 */
function openPretendPage({ tenantId, entityId: payLinkId }: CreateCommand, config: Config) {
  const expires_at = new Date(Date.now() + PRETEND_PAGE_MS).toISOString();
  return { url: buildPretendUrl(config, { tenantId, payLinkId }), expires_at };
}

interface LinkFacts {
  invoice: InvoiceRow;
  /** Undefined if the sandbox pretends the payment. */
  connection: PaymentsConnection | undefined;
  /** The sum of the bank debits that customers have started and that have not arrived yet. */
  processingCents: number;
}

function planLink(
  command: CreateCommand,
  { invoice, connection, processingCents }: LinkFacts,
): NewPayLink | CommandOutcome {
  const { amount_cents: wantedCents, return_path = null } = command.input;
  const allowsPartialPayments = connection?.allows_partial_payments ?? true;
  const amountCents = planAmount({ invoice, processingCents, allowsPartialPayments }, wantedCents);
  if (typeof amountCents !== 'number') return amountCents;
  return {
    ...toRecordRef(command),
    invoice_id: invoice.id,
    connection_id: connection?.id ?? null,
    amount_cents: amountCents,
    return_path,
  };
}

function failOpenAlready(): CommandOutcome {
  return failedOutcome({ code: 'conflict', message: PAGE_IS_OPEN });
}

function failNoConnection(): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: 'No payments vendor is connected. Connect one first, for example Stripe: POST /connections.',
  });
}

/** Stores the vendor's responses to requests that open or close pages. */
async function recordPayLinks(
  tx: Transaction,
  commands: Command<PayLinkOutcome>[],
): Promise<CommandOutcome[]> {
  await storePayLinkResults(
    tx,
    commands.map((command) => ({ ...toRecordRef(command), ...command.input })),
  );
  return commands.map(({ input: { status } }) => ({
    ok: true,
    changes: [{ field: 'status', from: null, to: status }],
    events: [],
  }));
}

export const payLinkHandlers: CommandHandlers = {
  'pay_link.create': createPayLinks,
  'pay_link.record': recordPayLinks,
};
