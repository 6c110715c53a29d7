import type { Database, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { type DeliveryChannel, OUTBOX_PROVIDER } from './choose-provider.js';
import type { DeferredMail } from './daily-mail-limit.js';
import { LINK_DAYS } from './link.js';
import {
  countOrPostpone,
  type DailyMailLimit,
  type Postponement,
  postponeAtCommit,
  postponeRow,
} from './outbox-rows.js';

/** Returns the first state of a new message. */
export function findFirstState(
  provider: string,
  failure: string | null,
): { state: NewMessage['state']; error: string | null } {
  if (provider !== OUTBOX_PROVIDER) return { state: 'queued', error: null };
  return { state: failure === null ? 'sent' : 'failed', error: failure };
}

/** A message to insert, with its content. */
export interface NewMessage extends RecordRef {
  invoice_id?: string | null;
  work_order_id?: string | null;
  template?: string | null;
  segments?: number | null;
  /** True if the text must wait for the end of the account's quiet hours. */
  respects_quiet_hours?: boolean;
  channel: DeliveryChannel;
  recipient: string;
  subject?: string | null;
  body_text?: string;
  body_html?: string | null;
  state: 'queued' | 'sent' | 'failed';
  error?: string | null;
  provider: string;
  /** The connection that sends the message; null for the mail server and the outbox. */
  connection_id: string | null;
}

const NEW_COLUMNS = `tenant_id uuid, id uuid, invoice_id uuid, work_order_id uuid, template text, segments integer, channel text, recipient text, subject text, body_text text, body_html text, state text,
  provider text, connection_id uuid, respects_quiet_hours boolean, error text`;
const NEW_NAMES = parseColumnNames(NEW_COLUMNS).join(', ');

export async function insertMessages(tx: Transaction, messages: readonly NewMessage[]): Promise<void> {
  await tx.query({
    name: 'insert-messages',
    text: `insert into messages (${NEW_NAMES}, sent_at, link_expires_at)
           select ${NEW_NAMES}, case when state = 'sent' then now() end, now() + interval '${LINK_DAYS} days'
           from ${recordsetSql(NEW_COLUMNS)}`,
    values: [JSON.stringify(messages.map((message) => ({ respects_quiet_hours: false, ...message })))],
  });
}

/** A text that a customer or driver sent. */
export interface InboundText extends RecordRef {
  work_order_id: string | null;
  sender: string;
  recipient: string;
  body_text: string;
  provider: string;
  connection_id: string;
  external_id: string;
}

const INBOUND_COLUMNS = `tenant_id uuid, id uuid, work_order_id uuid, sender text, recipient text, body_text text, provider text,
  connection_id uuid, external_id text`;
const INBOUND_NAMES = parseColumnNames(INBOUND_COLUMNS).join(', ');

/** Stores inbound texts, and returns the ids of those that were not stored before. */
export async function insertInboundTexts(
  tx: Transaction,
  texts: readonly InboundText[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>({
    name: 'insert-inbound-texts',
    text: `insert into messages (${INBOUND_NAMES}, channel, direction, state)
           select ${INBOUND_NAMES}, 'sms', 'inbound', 'received' from ${recordsetSql(INBOUND_COLUMNS)}
           on conflict (tenant_id, id) do nothing returning id`,
    values: [JSON.stringify(texts)],
  });
  return new Set(rows.map(({ id }) => id));
}

/**
 * Ends the queued messages of these invoices, because newer messages replace them. A message that
 * its provider has accepted becomes sent, and any other message becomes failed.
 */
export async function supersedeQueuedMessages(
  tx: Transaction,
  invoices: readonly RecordRef[],
): Promise<void> {
  await tx.query({
    name: 'overtake-messages',
    text: `update messages m set state = case when m.accepted_at is null then 'failed' else 'sent' end, sent_at = m.accepted_at,
             error = case when m.accepted_at is null then 'The invoice was sent again before this message left.' end, updated_at = ${nextUpdatedAtSql('m')}
           from ${recordsetSql('tenant_id uuid, id uuid')}
           where m.tenant_id = r.tenant_id and m.invoice_id = r.id and m.state = 'queued'`,
    values: [JSON.stringify(invoices)],
  });
}

const CHANGEABLE = `subject text, body_text text, body_html text, state text, provider text, connection_id uuid, error text, attempts integer, attempt_after timestamptz,
  accepted_at timestamptz, counted_at timestamptz, sent_at timestamptz, link_expires_at timestamptz, link_revoked_at timestamptz`;
const CHANGEABLE_NAMES = parseColumnNames(CHANGEABLE);

/** Stores changed messages. The caller must have locked their rows. */
export async function storeMessages(tx: Transaction, rows: readonly RecordRef[]): Promise<void> {
  await tx.query({
    name: 'store-messages',
    text: `update messages t set ${CHANGEABLE_NAMES.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${CHANGEABLE}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

/** A text that has arrived. */
export interface DeliveredText extends RecordRef {
  /** RFC 3339: when it arrived. If null, the vendor did not say so, and the present time counts. */
  at: string | null;
}

/**
 * Records that texts have arrived, at the end of the transaction. The first report about the end of
 * a text counts: a text that could not be delivered stays failed. So does a report about an attempt
 * before the present one.
 */
export function recordDeliveriesAtCommit(tx: Transaction, texts: readonly DeliveredText[]): void {
  if (texts.length === 0) return;
  tx.queryAtCommit({
    name: 'record-deliveries',
    // Lock the rows in the sequence in which commands lock them, so that no deadlock is possible.
    text: `with delivered as (
             select m.tenant_id, m.id, r.at from ${recordsetSql('tenant_id uuid, id uuid, at timestamptz')}
             join messages m on m.tenant_id = r.tenant_id and m.id = r.id
             where m.delivered_at is null and m.accepted_at is not null
               and not (m.state = 'failed' and m.sent_at is not distinct from m.accepted_at)
             order by m.tenant_id, m.id for no key update of m)
           update messages m set delivered_at = least(now(), greatest(coalesce(d.at, now()), m.created_at)), updated_at = ${nextUpdatedAtSql('m')}
           from delivered d where m.tenant_id = d.tenant_id and m.id = d.id`,
    values: [JSON.stringify(texts)],
  });
}

/**
 * SQL for a CTE named `taken`, which leases the message of the CTE `next` for `$2` seconds. If the
 * provider has not accepted the message yet, the lease counts as an attempt.
 */
export const LEASE_MESSAGE_CTE = `taken as (
               update messages m set attempt_after = now() + make_interval(secs => $2), updated_at = ${nextUpdatedAtSql('m')},
                 attempts = m.attempts + case when m.accepted_at is null then 1 else 0 end
               from next where m.tenant_id = $1 and m.id = next.id returning m.*)`;

/**
 * SQL for a CTE named `taken`, which counts an attempt to send the message `$2`. It selects no row
 * if the provider has accepted the message.
 */
export const START_MESSAGE_CTE = `taken as (
               update messages m set attempts = m.attempts + 1, updated_at = ${nextUpdatedAtSql('m')}
               where m.tenant_id = $1 and m.id = $2 and m.accepted_at is null and m.state in ('queued', 'failed')
               returning m.*)`;

/**
 * SQL condition on messages `m`: the message has failed, and a newer message of its invoice
 * replaces it. A failed message that is the newest of its invoice may still be sent.
 */
export const IS_REPLACED_SQL = `(m.state = 'failed' and exists (
  select from messages n where n.tenant_id = m.tenant_id and n.invoice_id = m.invoice_id and n.created_at > m.created_at))`;

/**
 * Counts a message against the account's daily limit. Beyond the limit, postpones the message to
 * the next day.
 */
export function countOrPostponeMessage(
  tx: Transaction,
  limit: DailyMailLimit,
): Promise<DeferredMail | undefined> {
  return countOrPostpone(tx, 'messages', limit);
}

/** Postpones a message that was leased in this transaction and not offered to its provider. */
export function postponeLeasedMessage(tx: Transaction, ref: RecordRef, wait: DeferredMail): void {
  postponeAtCommit(tx, 'messages', { ref, ...wait, wasOffered: false });
}

/** Postpones the next attempt to send the message, and stores the reason. */
export function postponeMessage(db: Database, ref: RecordRef, wait: Postponement): Promise<void> {
  return postponeRow(db, 'messages', { ref, ...wait });
}

/**
 * Records that the provider has accepted the message, so that no worker offers the message again.
 * Call this function before any other step that can fail.
 */
export async function recordAcceptance(db: Database, ref: RecordRef): Promise<void> {
  await db.transaction([ref.tenant_id], async (tx) => recordAcceptanceAtCommit(tx, ref));
}

export function recordAcceptanceAtCommit(tx: Transaction, { tenant_id, id }: RecordRef): void {
  tx.queryAtCommit({
    name: 'note-accepted-message',
    text: 'update messages set accepted_at = now() where tenant_id = $1 and id = $2 and accepted_at is null',
    values: [tenant_id, id],
  });
}
