import type { Change, Command } from '../../../contracts/command.js';
import { email } from '../../../contracts/schemas/fields.js';
import { buildInvoiceDocument, formatDay } from '../../../documents/document.js';
import type { DocumentRow } from '../../../documents/document-rows.js';
import { type MessageContent, writeEmail, writeText } from '../../../documents/invoice-message.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import {
  indexByRef,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../../records/record-refs.js';
import { insertOperations } from '../../../sync/operation-rows.js';
import { findTextConnections, type TextConnections } from '../../planned-messages/choose-provider.js';
import { LINK_DAYS } from '../../planned-messages/link.js';
import {
  isInFlight,
  type PlannedMessage,
  type PlannedSending,
  planOperations,
  type Recipient,
} from '../../planned-messages/plan.js';
import { countSegments } from '../../planned-messages/segments.js';
import {
  findFirstState,
  insertMessages,
  type NewMessage,
  supersedeQueuedMessages,
} from '../../planned-messages/store.js';
import { buildInvoiceDocumentQuery } from '../document-query.js';
import { applyMove, type InvoiceRow } from './lifecycle.js';

interface ContactRow extends RecordRef {
  billing_email: string | null;
  company_email: string | null;
  company_phone: string | null;
  contact_phone: string | null;
}

interface RecipientFault {
  code: string;
  message: string;
}

/**
 * Selects the recipients of an invoice. A mail goes to the address in the request. Without one, it
 * goes to the billing email of the invoice, or else of the customer. A text goes to the number in
 * the request. Without one, it goes to the work order's contact phone, or else to the customer's
 * phone.
 */
export interface Recipients {
  selectFor(
    command: Command,
    requested: { channel: 'email' | 'sms' | 'both'; to?: string | undefined },
  ): { found: Recipient[] } | { missing: string } | { invalid: RecipientFault };
}

export async function findRecipients(tx: Transaction, refs: RecordRef[]): Promise<Recipients> {
  const rows = await tx.query<ContactRow>({
    name: 'invoice-recipients',
    text: `select i.tenant_id, i.id, i.billing_email, c.billing_email as company_email, c.primary_phone as company_phone, w.contact_phone
           from ${recordsetSql('tenant_id uuid, id uuid')} join invoices i on i.tenant_id = r.tenant_id and i.id = r.id
           left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
           left join work_orders w on w.tenant_id = i.tenant_id and w.id = i.work_order_id`,
    values: [JSON.stringify(refs)],
  });
  const contacts = new Map(rows.map((row) => [refKey(row), row]));
  return {
    selectFor(command, { channel, to }) {
      const row = contacts.get(refKey(toRecordRef(command)));
      const invalid = to && findFaultOfRecipient(channel, to);
      if (invalid) return { invalid };
      const address = (channel === 'email' && to) || row?.billing_email || row?.company_email;
      const phone = (channel === 'sms' && to) || row?.contact_phone || row?.company_phone;
      if (channel !== 'sms' && !address)
        return { missing: 'There is no address to send to: give `to`, or set billing_email.' };
      if (channel !== 'email' && !phone)
        return { missing: 'There is no phone number to send to: give `to`, or set one on the customer.' };
      const found: Recipient[] = [];
      if (channel !== 'sms') found.push({ channel: 'email', address: address as string });
      if (channel !== 'email') found.push({ channel: 'sms', address: phone as string });
      return { found };
    },
  };
}

/**
 * Finds the connections through which the accounts send texts. Nearly no command sends a text, so
 * usually no query runs.
 */
export async function findTextConnectionsOf(tx: Transaction, commands: Command[]): Promise<TextConnections> {
  if (commands.length === 0) return new Map();
  return findTextConnections(
    tx,
    commands.map(({ tenantId }) => tenantId),
  );
}

/** Matches 5 to 30 characters: digits and usual separators, such as +1 555 010 4477. */
const PHONE = /^[+(\d][\d\s().-]{4,29}$/;

function findFaultOfRecipient(channel: 'email' | 'sms' | 'both', to: string): RecipientFault | undefined {
  if (channel === 'both')
    return { code: 'unknown', message: 'to is for one channel: set channel to email or sms, or omit to' };
  // Accept only one address, so that a request cannot mail a list.
  if (channel === 'email') {
    const message = 'to must be one mail address, such as billing@example.com';
    return email().validate(to).error && { code: 'email', message };
  }
  const message = 'to must be one phone number, such as +1 555 010 4477';
  return PHONE.test(to) ? undefined : { code: 'phone', message };
}

/**
 * Writes the mails and texts that announce the invoices.
 * @returns the content of each message, by message id
 */
export async function writeMessageBodies(
  tx: Transaction,
  about: { message: Pick<PlannedMessage, 'id' | 'channel' | 'url'>; ref: RecordRef }[],
): Promise<Map<string, MessageContent>> {
  const refs = [...new Map(about.map(({ ref }) => [refKey(ref), ref])).values()];
  const rows = await tx.query<DocumentRow & RecordRef>(buildInvoiceDocumentQuery(refs));
  const found = indexByRef(rows);
  const end = new Date(Date.now() + LINK_DAYS * 86_400_000);
  return new Map(
    about.map(({ message, ref }) => {
      const row = found.get(refKey(ref)) as DocumentRow;
      const link = { url: message.url, until: formatDay(end, row.time_zone) };
      const write = message.channel === 'email' ? writeEmail : writeText;
      return [message.id, write(buildInvoiceDocument(row), link)];
    }),
  );
}

/**
 * Stores the messages of the invoices. Ends messages of these invoices that are still queued from
 * an earlier sending. Messages of the provider `outbox`, which only stores them, count as sent.
 * Call this function in the transaction that releases the invoices.
 */
export async function storeInvoiceMessages(tx: Transaction, sendings: PlannedSending[]): Promise<void> {
  if (sendings.length === 0) return;
  const superseding = supersedeQueuedMessages(
    tx,
    sendings.map(({ command }) => toRecordRef(command)),
  );
  const about = sendings.flatMap(({ command, messages }) =>
    messages.map((message) => ({ message, ref: toRecordRef(command) })),
  );
  const [written] = await Promise.all([writeMessageBodies(tx, about), superseding]);
  const rows = sendings.flatMap(({ command, messages }) =>
    messages.map(
      ({ id, channel, address, provider, connectionId, failure }): NewMessage => ({
        ...written.get(id),
        tenant_id: command.tenantId,
        id,
        invoice_id: command.entityId,
        channel,
        recipient: address,
        provider,
        connection_id: connectionId,
        ...findFirstState(provider, failure),
        respects_quiet_hours: channel === 'sms',
        segments: channel === 'sms' ? countSegments(written.get(id)?.body_text ?? '') : null,
      }),
    ),
  );
  await insertMessages(tx, rows);
  await insertOperations(tx, planOperations(rows));
}

interface MovedInvoice {
  row: InvoiceRow;
  changes: Change[];
}

/**
 * Sets the delivery state of an invoice. Messages of the provider `outbox`, which only stores them,
 * count as sent (docs/decisions.md §3). If a sandbox pretends that all messages fail, the invoice
 * fails too.
 */
export function applyDelivery(
  { row, changes }: MovedInvoice,
  sending: PlannedSending,
  now: string,
): MovedInvoice {
  if (isInFlight(sending)) return { row: { ...row, delivery_state: 'queued' }, changes };
  const reason = findFailure(sending);
  if (reason === null) return { row: { ...row, delivery_state: 'sent', sent_at: now }, changes };
  const failed = applyMove({ ...row, delivery_state: 'failed' }, 'failed', { now, reason });
  // Merge both status changes into one, from the status before the sending to `failed`.
  const start = changes.find(({ field }) => field === 'status');
  const merged = failed.changes.map((change) =>
    change.field === 'status' && start ? { ...change, from: start.from } : change,
  );
  return { row: failed.row, changes: [...changes.filter((change) => change !== start), ...merged] };
}

/**
 * True if the invoice counts as sent immediately: no provider still has to accept a message, and
 * not every message has failed.
 */
export function isSentAtOnce(sending: PlannedSending): boolean {
  return !isInFlight(sending) && findFailure(sending) === null;
}

/** Returns a reason for the failure if every message has failed, otherwise null. */
function findFailure({ messages }: PlannedSending): string | null {
  const failures = messages.map(({ failure }) => failure);
  return failures.every((failure) => failure !== null) ? (failures[0] ?? null) : null;
}
