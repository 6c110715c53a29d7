import type { Database, Transaction } from '../../platform/postgres.js';
import { documentOf, type InvoiceDocument } from '../invoices/document.js';
import { type DocumentRow, documentStatement } from '../invoices/document-rows.js';
import { type InvoiceStatus, isWithCustomer } from '../invoices/transitions.js';
import { nextUpdatedAt, type RecordRef } from '../sets.js';
import type { HeldMail } from './mail-day.js';
import { countOrHold, type DueRow, findDueRows, lockNextDue, type PutOff, putOff } from './outbox-rows.js';
import type { Channel } from './provider.js';

/** A message that this worker, and no other, may offer to its provider now. */
export interface ClaimedMessage extends RecordRef {
  invoice_id: string;
  channel: Channel;
  provider: string;
  recipient: string;
  subject: string | null;
  body_text: string;
  body_html: string | null;
  /** How often it was offered, this time included. */
  attempts: number;
  /** The provider has it already; only the record of that is missing. */
  accepted: boolean;
  /** Why it is not to leave any more. */
  refusal: string | undefined;
  /** It is put off to the next day already. */
  held: HeldMail | undefined;
}

interface TakenRow extends Omit<ClaimedMessage, 'refusal' | 'held'> {
  invoice_status: InvoiceStatus;
  is_counted: boolean;
}

/** How long a claim lasts, and how many mails and text messages an account may send in a day. */
export interface ClaimTerms {
  leaseSeconds: number;
  perDay: number;
}

/**
 * Takes the message of an account that has been due the longest, for a while; undefined when none is
 * due that another worker does not have. What leaves is counted for the day in the same transaction.
 * The document is not read here: one that cannot be read must not keep the messages after it.
 */
export function claimNextMessage(
  db: Database,
  tenantId: string,
  { leaseSeconds, perDay }: ClaimTerms,
): Promise<ClaimedMessage | undefined> {
  return db.transaction([tenantId], async (tx) => {
    const [row] = await tx.query<TakenRow>({
      name: 'claim-next-message',
      text: `with ${lockNextDue('messages')},
             taken as (
               update messages m set attempt_after = now() + make_interval(secs => $2), updated_at = ${nextUpdatedAt('m')},
                 attempts = m.attempts + case when m.accepted_at is null then 1 else 0 end
               from next where m.tenant_id = $1 and m.id = next.id returning m.*)
             select m.tenant_id, m.id, m.invoice_id, i.status as invoice_status, m.channel, m.provider, m.recipient, m.subject, m.body_text,
               m.body_html, m.attempts, m.accepted_at is not null as accepted, m.counted_at is not null as is_counted
             from taken m join invoices i on i.tenant_id = m.tenant_id and i.id = m.invoice_id`,
      values: [tenantId, leaseSeconds],
    });
    if (!row) return undefined;
    const refusal = refusalOf(row);
    const isNew = !row.accepted && !row.is_counted && refusal === undefined;
    const held = isNew ? await countOrHold(tx, 'messages', { ref: row, perDay }) : undefined;
    return { ...row, refusal, held };
  });
}

/** Why a message is not to leave any more. */
function refusalOf({ accepted, invoice_status: status }: TakenRow): string | undefined {
  if (accepted) return undefined;
  if (status === 'void' || status === 'cancelled')
    return `The invoice was ${status} before the message left.`;
  // Denied, disputed or failed meanwhile and being rewritten: what this message says is no longer so.
  return isWithCustomer(status) ? undefined : 'The invoice was taken back before the message left.';
}

/** What the invoice of a message shows now. */
export async function readDocument(
  db: Database,
  { tenant_id, invoice_id: id }: ClaimedMessage,
): Promise<InvoiceDocument> {
  const [row] = await db.read<DocumentRow>(tenant_id, documentStatement([{ tenant_id, id }]));
  if (!row) throw new Error(`the invoice ${id} of a message is not there`);
  return documentOf(row);
}

/** Notes that the provider has it, before anything else can go wrong: from here on it is not offered again. */
export async function noteAccepted(db: Database, ref: RecordRef): Promise<void> {
  await db.transaction([ref.tenant_id], async (tx) =>
    tx.queryAtCommit({
      name: 'note-accepted-message',
      text: 'update messages set accepted_at = now() where tenant_id = $1 and id = $2 and accepted_at is null',
      values: [ref.tenant_id, ref.id],
    }),
  );
}

/** Puts off the next attempt, and keeps why. */
export function postponeMessage(db: Database, ref: RecordRef, wait: PutOff): Promise<void> {
  return putOff(db, 'messages', { ref, ...wait });
}

/** Messages of one account in a sweep. */
const DUE_OF_TENANT = 250;
/** A message that is due for less has its prompt on the way. */
const OVERDUE_SECONDS = 5;

/**
 * Messages of this transaction's tenants whose prompt was lost, or that waited for a new day.
 * @param limit messages at most
 */
export function findDueMessages(tx: Transaction, limit: number): Promise<DueRow[]> {
  const bounds = { limit, perTenant: DUE_OF_TENANT, overdueSeconds: OVERDUE_SECONDS };
  return findDueRows(tx, 'messages', bounds);
}
