import { buildInvoiceDocument, type InvoiceDocument } from '../../documents/document.js';
import type { DocumentRow } from '../../documents/document-rows.js';
import type { TextLimits } from '../../integrations/contract/text-limits.js';
import type { Database, Transaction } from '../../platform/postgres/database.js';
import type { RecordRef } from '../../records/record-refs.js';
import { buildInvoiceDocumentQuery } from '../invoices/document-query.js';
import { type InvoiceStatus, isVisibleToCustomer } from '../invoices/transitions.js';
import type { DeliveryChannel } from '../planned-messages/choose-provider.js';
import type { DeferredMail } from '../planned-messages/daily-mail-limit.js';
import {
  buildNextDueCte,
  type DueRow,
  findDueRows,
  type LeaseTerms,
} from '../planned-messages/outbox-rows.js';
import { countSegments } from '../planned-messages/segments.js';
import {
  countOrPostponeMessage,
  IS_REPLACED_SQL,
  LEASE_MESSAGE_CTE,
  postponeLeasedMessage,
  START_MESSAGE_CTE,
} from '../planned-messages/store.js';
import {
  findQuietEnd,
  releaseSegments,
  reserveSegments,
  type TextConnectionRef,
} from '../planned-messages/text-limits.js';
import { phoneKeySql } from '../text-consents/phone-key.js';

/** A message that this worker has leased, so that no other worker offers it to its provider. */
export interface LeasedMessage extends RecordRef {
  /** Null for a text that does not belong to an invoice. */
  invoice_id: string | null;
  channel: DeliveryChannel;
  provider: string;
  recipient: string;
  subject: string | null;
  body_text: string;
  body_html: string | null;
  /** The number of times that workers have offered the message, including this attempt. */
  attempts: number;
  /**
   * True if the provider has accepted the message, but no command has recorded the acceptance yet.
   */
  accepted: boolean;
  /** The reason why the message must no longer be sent; undefined if it may be sent. */
  refusal: string | undefined;
  /** True if the text is refused because it would exceed the connection's daily price limit. */
  exceedsLimit: boolean;
  /** Set if the message was postponed, either to the next day or to the end of the quiet hours. */
  deferral: DeferredMail | undefined;
}

interface LeasedRow extends Omit<LeasedMessage, 'refusal' | 'exceedsLimit' | 'deferral'> {
  invoice_status: InvoiceStatus | null;
  respects_quiet_hours: boolean;
  is_outdated: boolean;
  is_opted_out: boolean;
  is_counted: boolean;
  is_replaced: boolean;
}

const OVER_LIMIT_TEXT =
  'The texts of today would cost more than daily_limit_cents of the connection allows. Raise it, or send this text tomorrow.';

/** SQL condition on messages `m`: a text whose recipient has opted out of texts. */
const IS_OPTED_OUT_SQL = `(m.channel = 'sms' and exists (
  select from text_consents k where k.tenant_id = m.tenant_id and k.phone_key = ${phoneKeySql('m.recipient')} and k.state = 'opted_out'))`;

/**
 * SQL condition on messages `m`: an outdated text about the progress of a work order. The work
 * order has ended, or a newer text from the same template exists.
 */
const IS_OUTDATED_SQL = `(m.template in ('assigned', 'en_route', 'on_scene', 'driver_link') and (
  exists (select from work_orders w where w.tenant_id = m.tenant_id and w.id = m.work_order_id and w.status in ('completed', 'cancelled'))
  or exists (select from messages n where n.tenant_id = m.tenant_id and n.work_order_id = m.work_order_id and n.template = m.template
    and n.created_at > m.created_at)))`;

/** SQL that selects the message from the CTE `taken`, with the status of its invoice. */
const SELECT_TAKEN = `
             select m.tenant_id, m.id, m.invoice_id, i.status as invoice_status, m.channel, m.provider, m.recipient, m.subject, m.body_text,
               m.body_html, m.attempts, m.accepted_at is not null as accepted, m.counted_at is not null as is_counted,
               m.respects_quiet_hours, ${IS_REPLACED_SQL} as is_replaced, ${IS_OPTED_OUT_SQL} as is_opted_out,
               ${IS_OUTDATED_SQL} as is_outdated
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
    return row && judge(tx, row, { mailsPerDay });
  });
}

/**
 * The limits that apply to an attempt. `texts` is set if a connection with its own limits sends the
 * message.
 */
export interface AttemptLimits {
  mailsPerDay: number;
  texts?: TextLimits;
}

/**
 * Starts an attempt to send a message through a connection, and counts the message against the
 * account's daily limit. Returns undefined if the message does not exist or the provider has
 * accepted it.
 */
export function startMessageAttempt(
  db: Database,
  { tenant_id, id, connection_id }: RecordRef & TextConnectionRef,
  limits: AttemptLimits & { texts: TextLimits },
): Promise<LeasedMessage | undefined> {
  return db.transaction([tenant_id], async (tx) => {
    const [row] = await tx.query<LeasedRow>({
      name: 'start-message-attempt',
      text: `with ${START_MESSAGE_CTE} ${SELECT_TAKEN}`,
      values: [tenant_id, id],
    });
    if (!row) return undefined;
    const { quietHours } = limits.texts;
    const quiet = row.respects_quiet_hours && quietHours && (await findQuietEnd(tx, tenant_id, quietHours));
    if (!quiet || row.accepted || findRefusal(row) !== undefined)
      return judge(tx, row, limits, connection_id);
    const deferral = {
      seconds: quiet.seconds,
      reason: `It is quiet until ${quietHours.to} (${quiet.zone}). This text leaves then.`,
    };
    postponeLeasedMessage(tx, row, deferral);
    return { ...row, refusal: undefined, exceedsLimit: false, deferral };
  });
}

/**
 * Decides whether a message may be sent, and counts it against the daily limits of its account and
 * its connection. Each message counts once, and a message that must not be sent does not count.
 */
async function judge(
  tx: Transaction,
  row: LeasedRow,
  { mailsPerDay, texts }: AttemptLimits,
  connectionId?: string,
): Promise<LeasedMessage> {
  const refusal = findRefusal(row);
  const decided = { ...row, refusal, exceedsLimit: false, deferral: undefined };
  if (row.accepted || row.is_counted || refusal !== undefined) return decided;
  const perDay = texts?.segmentsPerDay;
  const segments = countSegments(row.body_text);
  const ref =
    connectionId === undefined ? undefined : { tenant_id: row.tenant_id, connection_id: connectionId };
  const isLimited = ref !== undefined && perDay !== undefined;
  if (isLimited && !(await reserveSegments(tx, ref, { segments, perDay })))
    return { ...decided, refusal: OVER_LIMIT_TEXT, exceedsLimit: true };
  const deferral = await countOrPostponeMessage(tx, { ref: row, mailsPerDay });
  if (isLimited && deferral) await releaseSegments(tx, ref, segments);
  return { ...decided, deferral };
}

/** Returns the reason why the message must no longer be sent, or undefined if it may be sent. */
function findRefusal({
  accepted,
  is_replaced,
  is_opted_out,
  is_outdated,
  invoice_status: status,
}: LeasedRow): string | undefined {
  if (accepted) return undefined;
  if (is_opted_out) return 'The number has asked for no more texts (STOP).';
  if (is_outdated) return 'The job went on before this text left.';
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
