import type {
  MessageState,
  MessagingAdapter,
  OutgoingMessage,
} from '../../../shared/integrations/contract/messaging.js';
import { readTextLimits } from '../../../shared/integrations/contract/text-limits.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import {
  recordMessageFailed,
  recordMessageSent,
  recordMessageUndelivered,
} from '../../../shared/resources/messages/commands.js';
import {
  type LeasedMessage,
  readInvoiceDocument,
  startMessageAttempt,
} from '../../../shared/resources/messages/outbox.js';
import {
  recordAcceptanceAtCommit,
  recordDeliveriesAtCommit,
} from '../../../shared/resources/planned-messages/store.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { Step } from '../vendor/step.js';
import type { RecordKind, WriteOutcome } from './record-kind.js';
import { toAttempt } from './to-attempt.js';

/** The error code if the recipient has opted out at the vendor (VendorErrorDetails). */
const OPTED_OUT = 'opted_out';
/** The error code if a text exceeds the daily price limit that the account has set. */
const OVER_LIMIT = 'over_daily_limit';

/**
 * The record kind `message`. A write sends a text message. A pull reads whether text messages
 * arrived.
 */
export const messageRecords: RecordKind<MessageState> = {
  isWrittenTogether: true,
  isKnownOnceWritten: true,
  async write(step, operation) {
    // One after another, because all of them lock the row that counts the account's messages of the
    // day. A task prepares its text completely: a second task of a text would run after the first
    // tasks of all others, so no text would leave before all of them have started.
    const prepared = await step.inSequence(() => prepare(step, operation));
    if (!('outgoing' in prepared)) return prepared;
    const { outgoing, refusal } = prepared;
    if (refusal !== undefined) return lookFor(step, operation, { outgoing, refusal });
    return { written: await getMessaging(step).send(await step.open(), outgoing, toAttempt(operation)) };
  },
  storeAcceptance: (tx, { tenant_id, local_id: id }) => recordAcceptanceAtCommit(tx, { tenant_id, id }),
  buildSuccess: ({ local_id: entityId }) => [{ type: recordMessageSent.type, entityId, input: {} }],
  buildFailure: ({ local_id: entityId }, { reason, code }) => [
    {
      type: recordMessageFailed.type,
      entityId,
      input: {
        reason,
        ...(code === OPTED_OUT ? { is_opted_out: true } : {}),
        ...(code === OVER_LIMIT ? { is_over_limit: true } : {}),
      },
    },
  ],
  translate: (step, item) => getMessaging(step).translate?.(item),
  async readNamed(step, hints) {
    const messaging = getMessaging(step);
    return messaging.readNamed ? messaging.readNamed(await step.open(), hints) : [];
  },
  pull: async (step, from) => getMessaging(step).pull(await step.open(), from),
  buildChanges: (changes) =>
    changes.flatMap(({ change: { fields }, id }) =>
      fields.state === 'failed'
        ? [
            {
              type: recordMessageUndelivered.type,
              entityId: id.local_id,
              input: { reason: fields.reason ?? 'The vendor could not deliver the text.' },
            },
          ]
        : [],
    ),
  // Without a command, because each command leaves an audit entry, and an account may send
  // thousands of texts.
  storeAtCommit(tx, changes) {
    const delivered = changes.flatMap(({ change: { fields }, id: { tenant_id, local_id: id } }) =>
      fields.state === 'delivered' ? [{ tenant_id, id, at: fields.at ?? null }] : [],
    );
    recordDeliveriesAtCommit(tx, delivered);
    return delivered.length > 0;
  },
};

function getMessaging({ vendor }: Step): MessagingAdapter {
  if (!vendor.messaging) throw new Error(`${vendor.manifest.vendor} sends no texts`);
  return vendor.messaging;
}

const cancel = (cancelled: string): WriteOutcome<MessageState> => ({ cancelled, mayHaveArrived: false });

/** A text to send, or to look for if it has a `refusal`. */
interface PreparedText {
  outgoing: OutgoingMessage;
  refusal: string | undefined;
}

/**
 * Starts the attempt, and reads what the vendor needs. Returns the outcome if the vendor need not
 * be called.
 */
async function prepare(
  step: Step,
  { tenant_id, local_id: id, may_have_arrived: mayHaveArrived }: StartedOperation,
): Promise<PreparedText | WriteOutcome<MessageState>> {
  const { db, config } = step.services.runtime;
  const { connectionId: connection_id, settings } = step.connection;
  const message = await startMessageAttempt(
    db,
    { tenant_id, id, connection_id },
    { mailsPerDay: config.mailsPerDay, texts: readTextLimits(settings) },
  );
  if (!message) return { cancelled: 'The message was sent already.', mayHaveArrived: false };
  const { refusal, deferral, exceedsLimit } = message;
  if (refusal !== undefined && !mayHaveArrived)
    return { ...cancel(refusal), ...(exceedsLimit ? { code: OVER_LIMIT } : {}) };
  if (refusal === undefined && deferral)
    return { postponedMs: deferral.seconds * 1000, reason: deferral.reason };
  return { outgoing: await buildOutgoingMessage(db, message), refusal };
}

/**
 * Asks the vendor whether an earlier attempt has sent this text message. The text message must no
 * longer be sent, so this function never sends it.
 */
async function lookFor(
  step: Step,
  operation: StartedOperation,
  { outgoing, refusal }: { outgoing: OutgoingMessage; refusal: string },
): Promise<WriteOutcome<MessageState>> {
  const messaging = getMessaging(step);
  if (!messaging.find) return { cancelled: refusal, mayHaveArrived: true };
  const written = await messaging.find(await step.open(), outgoing, toAttempt(operation));
  return written ? { written } : cancel(refusal);
}

async function buildOutgoingMessage(db: Database, message: LeasedMessage): Promise<OutgoingMessage> {
  const { id, recipient, subject, body_text: text } = message;
  // Some vendors show a sender's name beside a text. Use the sender of the invoice, if there is
  // one.
  const sender = message.invoice_id === null ? '' : (await readInvoiceDocument(db, message)).sender;
  return { id, sender, recipient, subject, text, html: null, attachment: undefined };
}
