import type { OpenConnection, Page, PullStart, Written } from '../contract/connection.js';
import type { MessageState, MessagingAdapter, OutgoingMessage, WriteAttempt } from '../contract/messaging.js';
import type { TenantVendor } from '../contract/vendor.js';
import { VendorError } from '../contract/vendor-error.js';
import { callPath, callTwilio } from './client.js';
import { manifest } from './manifest.js';
import {
  isPending,
  type TwilioMessage,
  toChange,
  toDedupeId,
  toWritten,
  translateCallback,
} from './mapper.js';
import { phone } from './phone.js';
import { verifyTwilioSignature } from './signature.js';

interface MessageList {
  messages: TwilioMessage[];
  next_page_uri: string | null;
}

const PAGE_SIZE = '100';
const DAY_MS = 86_400_000;
/**
 * Twilio's clock and ours may differ by this much. The search for a sent text therefore starts this
 * much earlier.
 */
const CLOCK_TOLERANCE_MS = 60_000;

const messaging: MessagingAdapter = {
  async send(connection, message, attempt) {
    const found = attempt.mayHaveArrived ? await findSent(connection, message, attempt) : undefined;
    if (found) return found;
    const { messaging_service_sid: service, from_number: from } = connection.settings;
    const sent = await callTwilio<TwilioMessage>(connection, {
      method: 'POST',
      path: '/Messages.json',
      form: {
        To: message.recipient,
        Body: message.text,
        ...(service ? { MessagingServiceSid: String(service) } : { From: String(from) }),
        StatusCallback: connection.webhookUrl,
      },
    });
    return toWritten(sent);
  },
  find: findSent,
  translate: translateCallback,
  async readNamed(connection, hints) {
    const found = await Promise.all(hints.map((sid) => readMessage(connection, sid)));
    return found.filter((one) => one !== undefined).map(toChange);
  },
  pull: pullMessages,
};

export const twilio: TenantVendor = {
  manifest,
  baseUrl: 'https://api.twilio.com',
  async describe(connection) {
    const { sid, friendly_name } = await callTwilio<{ sid: string; friendly_name: string | null }>(
      connection,
      {
        method: 'GET',
        path: '.json',
      },
    );
    return { externalAccount: sid, label: friendly_name, environment: undefined };
  },
  messaging,
  phone,
  inbound: {
    isPerApplication: false,
    getSecret: ({ auth_token: token }) => token,
    verify: verifyTwilioSignature,
    split(body) {
      const form = new URLSearchParams(body.toString('utf8'));
      const sid = form.get('MessageSid');
      const status = form.get('MessageStatus');
      // A text that is on its way changes nothing here, and each item takes a transaction.
      if (sid === null || status === null || isPending(status)) return [];
      return [
        {
          externalAccount: form.get('AccountSid'),
          dedupeId: toDedupeId(sid, status),
          stream: 'messages',
          hint: sid,
        },
      ];
    },
  },
};

/**
 * Finds a text that an earlier attempt may have sent: a text with the same words and recipient that
 * was created since the first attempt.
 */
async function findSent(
  connection: OpenConnection,
  { recipient, text }: OutgoingMessage,
  { firstAttemptAt }: WriteAttempt,
): Promise<Written | undefined> {
  const earliest = firstAttemptAt.getTime() - CLOCK_TOLERANCE_MS;
  const { messages } = await callTwilio<MessageList>(connection, {
    method: 'GET',
    path: '/Messages.json',
    // Not limited by the date of sending, which a text that waits at Twilio does not have. The list
    // begins with the newest text.
    form: { To: recipient, PageSize: PAGE_SIZE },
  });
  const found = messages.find(
    ({ body, direction, date_created }) =>
      body === text && direction.startsWith('outbound') && Date.parse(date_created ?? '') >= earliest - 1000,
  );
  return found && toWritten(found);
}

/** Returns undefined if the account has no such message. */
async function readMessage(connection: OpenConnection, sid: string): Promise<TwilioMessage | undefined> {
  try {
    return await callTwilio<TwilioMessage>(connection, {
      method: 'GET',
      path: `/Messages/${encodeURIComponent(sid)}.json`,
    });
  } catch (error) {
    if (error instanceof VendorError && error.kind === 'gone') return undefined;
    throw error;
  }
}

/**
 * The position at which a pull continues. `since` is the start of its period, and `next` is
 * Twilio's path of the next page.
 */
interface Place {
  since: string;
  next?: string;
}

/**
 * Reads the texts that were sent since the day before the previous pull, because the state of a
 * text may change for a day after it was sent.
 */
async function pullMessages(
  connection: OpenConnection,
  { cursor, since }: PullStart,
): Promise<Page<MessageState>> {
  const place = since === null && cursor !== null ? (JSON.parse(cursor) as Place) : undefined;
  const from = since === null ? (place?.since ?? toTime(Date.now() - DAY_MS)) : toTime(Date.parse(since));
  const list = place?.next
    ? await callPath<MessageList>(connection, { method: 'GET', path: place.next })
    : await callTwilio<MessageList>(connection, {
        method: 'GET',
        path: '/Messages.json',
        form: { 'DateSent>': from, PageSize: PAGE_SIZE },
      });
  const { next_page_uri: next } = list;
  const following: Place = next ? { since: from, next } : { since: toTime(Date.now() - DAY_MS) };
  return {
    changes: list.messages.filter(({ direction }) => direction.startsWith('outbound')).map(toChange),
    cursor: JSON.stringify(following),
    isLast: !next,
  };
}

function toTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
