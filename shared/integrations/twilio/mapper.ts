import type { Change, Written } from '../contract/connection.js';
import type { MessageState, TextNotice } from '../contract/messaging.js';

/** The members of a message resource that the service reads. */
export interface TwilioMessage {
  sid: string;
  status: string;
  to: string | null;
  from: string | null;
  body: string | null;
  direction: string;
  /** A date and time in the format of RFC 2822. */
  date_created: string | null;
  date_updated: string | null;
  error_code: number | null;
  error_message: string | null;
}

/**
 * The rank of each status, used as the version of a text. Reports may arrive in any sequence, and
 * only a report of a higher rank replaces another one. So of the statuses in which a text ends, the
 * first report counts. A status that is not in the table has the lowest rank.
 *
 * A version of this service that records no deliveries gives the last statuses the rank 5. While it
 * runs beside this one, it may read a text as delivered. The next pull then reads the text again.
 */
const RANKS: Readonly<Record<string, number>> = {
  accepted: 1,
  scheduled: 1,
  queued: 1,
  sending: 2,
  sent: 3,
  partially_delivered: 4,
  delivered: 6,
  undelivered: 6,
  failed: 6,
  canceled: 6,
  read: 6,
};
/** The highest rank of a text that was written. What happens to it after that must be read. */
const WRITTEN_RANK = 3;

const FAILED: readonly string[] = ['undelivered', 'failed', 'canceled'];
const DELIVERED: readonly string[] = ['delivered', 'read'];

function findRank(status: string): number {
  return RANKS[status] ?? 0;
}

export function toWritten({ sid, status }: TwilioMessage): Written {
  return { externalId: sid, version: String(Math.min(findRank(status), WRITTEN_RANK)) };
}

export function toChange({
  sid,
  status,
  error_code,
  error_message,
  date_updated,
}: TwilioMessage): Change<MessageState> {
  if (!FAILED.includes(status)) return buildChange(sid, status, Date.parse(date_updated ?? ''));
  const reason = error_message ?? (error_code === null ? null : `Twilio's error ${error_code}.`);
  return { ...buildChange(sid, status), fields: { state: 'failed', reason } };
}

function buildChange(sid: string, status: string, updatedAt = Number.NaN): Change<MessageState> {
  const isDelivered = DELIVERED.includes(status);
  const at = isDelivered && !Number.isNaN(updatedAt) ? { at: new Date(updatedAt).toISOString() } : {};
  return {
    kind: 'message',
    externalId: sid,
    version: String(findRank(status)),
    fields: { state: isDelivered ? 'delivered' : 'pending', reason: null, ...at },
  };
}

/** True for a status that says nothing about the end of a text. */
export function isPending(status: string): boolean {
  return !FAILED.includes(status) && !DELIVERED.includes(status);
}

/** Builds the id of a status callback. It contains the status, so that no call has to read it. */
export function toDedupeId(sid: string, status: string): string {
  return `${sid}/${status}`;
}

/**
 * Translates a status callback. Returns undefined if the text has failed, because the reason must
 * be read at Twilio.
 */
export function translateCallback({
  dedupeId,
  hint: sid,
  receivedAt,
}: TextNotice): Change<MessageState> | undefined {
  const start = toDedupeId(sid, '');
  if (!dedupeId.startsWith(start)) return undefined;
  const status = dedupeId.slice(start.length);
  return FAILED.includes(status) ? undefined : buildChange(sid, status, receivedAt.getTime());
}
