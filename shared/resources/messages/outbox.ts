import type { Database, Transaction } from '../../platform/postgres.js';
import { documentOf, type InvoiceDocument } from '../invoices/document.js';
import { DOCUMENT_COLUMNS, DOCUMENT_JOINS, type DocumentRow } from '../invoices/document-rows.js';
import type { InvoiceStatus } from '../invoices/transitions.js';
import { nextUpdatedAt, type RecordRef } from '../sets.js';
import { type DueRow, findDueRows, putOff } from './outbox-rows.js';
import type { Channel } from './provider.js';

/** A message that this worker, and no other, may offer to its provider now. */
export interface ClaimedMessage extends RecordRef {
  invoice_id: string;
  invoice_status: InvoiceStatus;
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
  document: InvoiceDocument;
}

/**
 * Takes a queued message for a while; undefined when it is not due, not queued, or another worker has it. A sandbox's message is never taken, whatever its
 * row says.
 */
export async function claimMessage(
  db: Database,
  ref: RecordRef,
  leaseSeconds: number,
): Promise<ClaimedMessage | undefined> {
  const [row] = await db.transaction([ref.tenant_id], (tx) =>
    tx.query<Omit<ClaimedMessage, 'document'> & DocumentRow>({
      name: 'claim-message',
      text: `with taken as (
               update messages m set attempt_after = now() + make_interval(secs => $3), updated_at = ${nextUpdatedAt('m')},
                 attempts = m.attempts + case when m.accepted_at is null then 1 else 0 end
               from tenants o
               where m.tenant_id = $1 and m.id = $2 and m.state = 'queued' and m.attempt_after <= now()
                 and o.tenant_id = m.tenant_id and o.environment = 'live'
               returning m.*)
             select m.tenant_id, m.id, m.invoice_id, i.status as invoice_status, m.channel, m.provider, m.recipient, m.subject, m.body_text,
               m.body_html, m.attempts, m.accepted_at is not null as accepted, ${DOCUMENT_COLUMNS}
             from taken m join invoices i on i.tenant_id = m.tenant_id and i.id = m.invoice_id ${DOCUMENT_JOINS}`,
      values: [ref.tenant_id, ref.id, leaseSeconds],
    }),
  );
  return row && { ...row, document: documentOf(row) };
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
export function postponeMessage(
  db: Database,
  ref: RecordRef,
  wait: { reason: string; seconds: number },
): Promise<void> {
  return putOff(db, 'messages', { ref, ...wait, wasOffered: true });
}

/** Puts a message off that was claimed and not offered: that was no attempt. */
export function holdMessage(
  db: Database,
  ref: RecordRef,
  wait: { reason: string; seconds: number },
): Promise<void> {
  return putOff(db, 'messages', { ref, ...wait, wasOffered: false });
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
