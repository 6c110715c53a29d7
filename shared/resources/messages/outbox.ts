import { buildInvoiceDocument, type InvoiceDocument } from '../../documents/document.js';
import type { DocumentRow } from '../../documents/document-rows.js';
import type { Database, Transaction } from '../../platform/postgres/database.js';
import type { RecordRef } from '../../records/record-refs.js';
import { buildInvoiceDocumentQuery } from '../invoices/document-query.js';
import { type InvoiceStatus, isVisibleToCustomer } from '../invoices/transitions.js';
import type { DeliveryChannel } from '../planned-messages/choose-provider.js';
import type { DeferredMail } from '../planned-messages/daily-mail-limit.js';
import { buildNextDueCte, type DueRow, findDueRows } from '../planned-messages/outbox-rows.js';
import {
  countOrPostponeMessage,
  IS_REPLACED_SQL,
  LEASE_MESSAGE_CTE,
  START_MESSAGE_CTE,
} from '../planned-messages/store.js';
import { phoneKeySql } from '../text-consents/phone-key.js';

/** A message that this worker has leased: no other worker may offer it to its provider now. */
export interface LeasedMessage extends RecordRef {
  /** Null for a text that concerns no invoice. */
  invoice_id: string | null;
  channel: DeliveryChannel;
  provider: string;
  recipient: string;
  subject: string | null;
  body_text: string;
  body_html: string | null;
  /** The number of times that workers have offered the message, including this attempt. */
  attempts: number;
  /** True if the provider has accepted the message but no command has recorded this yet. */
  accepted: boolean;
  /** The reason why the message must not be sent any more; undefined if it may be sent. */
  refusal: string | undefined;
  /** Set if the message exceeds the account's daily limit, and was postponed to the next day. */
  deferral: DeferredMail | undefined;
}

interface LeasedRow extends Omit<LeasedMessage, 'refusal' | 'deferral'> {
  invoice_status: InvoiceStatus | null;
  is_opted_out: boolean;
  is_counted: boolean;
  is_replaced: boolean;
}

/** The duration of a lease, and the number of mails and texts that an account may send per day. */
export interface LeaseTerms {
  leaseSeconds: number;
  mailsPerDay: number;
}

/** SQL condition on texts `m`: their recipient has asked for no more texts. */
const IS_OPTED_OUT_SQL = `(m.channel = 'sms' and exists (
  select from text_consents k where k.tenant_id = m.tenant_id and k.phone_key = ${phoneKeySql('m.recipient')} and k.state = 'opted_out'))`;

/** SQL that selects the message that the CTE `taken` returns, with the status of its invoice. */
const SELECT_TAKEN = `
             select m.tenant_id, m.id, m.invoice_id, i.status as invoice_status, m.channel, m.provider, m.recipient, m.subject, m.body_text,
               m.body_html, m.attempts, m.accepted_at is not null as accepted, m.counted_at is not null as is_counted,
               ${IS_REPLACED_SQL} as is_replaced, ${IS_OPTED_OUT_SQL} as is_opted_out
             from taken m left join invoices i on i.tenant_id = m.tenant_id and i.id = m.invoice_id`;

/**
 * Leases the account's message that has been due the longest, and counts it against the account's
 * daily limit in the same transaction. Returns undefined if no message is due, or other workers
 * have leased all due messages.
 *
 * The transaction does not read the invoice document. An unreadable document would roll back the
 * lease, so the same message would always come first and block the messages after it.
 */
export function leaseNextMessage(
  db: Database,
  tenantId: string,
  { leaseSeconds, mailsPerDay }: LeaseTerms,
): Promise<LeasedMessage | undefined> {
  return db.transaction([tenantId], async (tx) => {
    const [row] = await tx.query<LeasedRow>({
      name: 'claim-next-message',
      text: `with ${buildNextDueCte('messages')},
             ${LEASE_MESSAGE_CTE} ${SELECT_TAKEN}`,
      values: [tenantId, leaseSeconds],
    });
    return row && countForDay(tx, row, mailsPerDay);
  });
}

/**
 * Starts an attempt to send a message through a connection, and counts the message against the
 * account's daily limit. Returns undefined if the message does not exist or the provider has
 * accepted it.
 */
export function startMessageAttempt(
  db: Database,
  { tenant_id, id }: RecordRef,
  mailsPerDay: number,
): Promise<LeasedMessage | undefined> {
  return db.transaction([tenant_id], async (tx) => {
    const [row] = await tx.query<LeasedRow>({
      name: 'start-message-attempt',
      text: `with ${START_MESSAGE_CTE} ${SELECT_TAKEN}`,
      values: [tenant_id, id],
    });
    return row && countForDay(tx, row, mailsPerDay);
  });
}

/**
 * Counts a message against the account's daily limit, or postpones the message to the next day.
 * Each message counts once, and a message that must not be sent does not count.
 */
async function countForDay(tx: Transaction, row: LeasedRow, mailsPerDay: number): Promise<LeasedMessage> {
  const refusal = findRefusal(row);
  const isNew = !row.accepted && !row.is_counted && refusal === undefined;
  const deferral = isNew ? await countOrPostponeMessage(tx, { ref: row, mailsPerDay }) : undefined;
  return { ...row, refusal, deferral };
}

/** Returns the reason why the message must not be sent any more, or undefined if it may be sent. */
function findRefusal({
  accepted,
  is_replaced,
  is_opted_out,
  invoice_status: status,
}: LeasedRow): string | undefined {
  if (accepted) return undefined;
  if (is_opted_out) return 'The number has asked for no more texts (STOP).';
  if (status === null) return undefined;
  if (is_replaced) return 'The invoice was sent again before this message left.';
  if (status === 'void' || status === 'cancelled')
    return `The invoice was ${status} before the message left.`;
  // The account is rewriting the invoice, for example after a dispute, so the content of this
  // message is outdated.
  return isVisibleToCustomer(status) ? undefined : 'The invoice was taken back before the message left.';
}

/** Reads the current document of a message's invoice. */
export async function readInvoiceDocument(
  db: Database,
  { tenant_id, invoice_id: id }: LeasedMessage,
): Promise<InvoiceDocument> {
  if (id === null) throw new Error('a message without an invoice has no document');
  const [row] = await db.read<DocumentRow>(tenant_id, buildInvoiceDocumentQuery([{ tenant_id, id }]));
  if (!row) throw new Error(`the invoice ${id} of a message is not there`);
  return buildInvoiceDocument(row);
}

/** Maximum number of messages per account in a sweep. */
const MAX_DUE_PER_TENANT = 250;
/**
 * A sweep skips messages that became due less than this long ago, because their wake-up job is
 * probably still under way.
 */
const OVERDUE_SECONDS = 5;

/**
 * Finds due messages of this transaction's tenants. Either their wake-up jobs were lost, or the
 * messages were postponed to a new day.
 */
export function findDueMessages(tx: Transaction, limit: number): Promise<DueRow[]> {
  const bounds = { limit, limitPerTenant: MAX_DUE_PER_TENANT, overdueSeconds: OVERDUE_SECONDS };
  return findDueRows(tx, 'messages', bounds);
}
