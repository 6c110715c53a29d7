import type { Change, Written } from '../contract/connection.js';
import type { MessageState } from '../contract/messaging.js';

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
  error_code: number | null;
  error_message: string | null;
}

/**
 * The rank of each status, used as the version of a text. Reports may arrive in any sequence, and a
 * report of a lower rank does not replace one of a higher rank. A status that is not in the table
 * has the lowest rank.
 */
const RANKS: Readonly<Record<string, number>> = {
  accepted: 1,
  scheduled: 1,
  queued: 1,
  sending: 2,
  sent: 3,
  partially_delivered: 4,
  delivered: 5,
  undelivered: 5,
  failed: 5,
  canceled: 5,
  read: 6,
};

const FAILED: readonly string[] = ['undelivered', 'failed', 'canceled'];
const DELIVERED: readonly string[] = ['delivered', 'read', 'partially_delivered'];

function toVersion(status: string): string {
  return String(RANKS[status] ?? 0);
}

export function toWritten({ sid, status }: TwilioMessage): Written {
  return { externalId: sid, version: toVersion(status) };
}

export function toChange({ sid, status, error_code, error_message }: TwilioMessage): Change<MessageState> {
  const state = FAILED.includes(status) ? 'failed' : DELIVERED.includes(status) ? 'delivered' : 'pending';
  const reason = error_message ?? (error_code === null ? null : `Twilio's error ${error_code}.`);
  return {
    kind: 'message',
    externalId: sid,
    version: toVersion(status),
    fields: { state, reason: state === 'failed' ? reason : null },
  };
}
