import type { MessageState, OutgoingMessage } from '../../../shared/integrations/contract/messaging.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import {
  recordMessageFailed,
  recordMessageSent,
  recordMessageUndelivered,
} from '../../../shared/resources/messages/commands.js';
import {
  hasQueuedMessages,
  type LeasedMessage,
  readInvoiceDocument,
  startMessageAttempt,
} from '../../../shared/resources/messages/outbox.js';
import { NotReadyError, type RecordKind } from './record-kind.js';

/**
 * The record kind `message`. A write sends a text message, and a pull reads whether the text
 * message arrived.
 */
export const messageRecords: RecordKind<MessageState> = {
  async write(step, operation) {
    const { db, config } = step.services.runtime;
    const {
      tenant_id,
      local_id: id,
      operation_key: operationKey,
      may_have_arrived: mayHaveArrived,
    } = operation;
    const message = await startMessageAttempt(db, { tenant_id, id }, config.mailsPerDay);
    if (!message) return { cancelled: 'The message was sent again or is not there any more.' };
    // If an earlier attempt may have arrived, do not cancel. `send` first finds out whether the
    // vendor has the message.
    if (message.refusal !== undefined && !mayHaveArrived) return { cancelled: message.refusal };
    if (message.deferral)
      return { postponedMs: message.deferral.seconds * 1000, reason: message.deferral.reason };
    const connection = await step.open();
    const outgoing = await buildOutgoingMessage(db, message);
    return {
      written: await step.vendor.messaging.send(connection, outgoing, { operationKey, mayHaveArrived }),
    };
  },
  buildSuccess: ({ local_id: entityId }) => [{ type: recordMessageSent.type, entityId, input: {} }],
  buildFailure: ({ local_id: entityId }, reason) => [
    { type: recordMessageFailed.type, entityId, input: { reason } },
  ],
  pull: async (step, from) => step.vendor.messaging.pull(await step.open(), from),
  async applyChanges(tx, { connection }, changes) {
    const ids = changes.map(({ id }) => id.local_id);
    if (ids.length > 0 && (await hasQueuedMessages(tx, connection.tenantId, ids)))
      throw new NotReadyError('a message is not marked as sent yet');
    return changes.flatMap(({ change: { fields }, id }) =>
      fields.state === 'failed'
        ? [
            {
              type: recordMessageUndelivered.type,
              entityId: id.local_id,
              input: { reason: fields.reason ?? 'The vendor could not deliver the text.' },
            },
          ]
        : [],
    );
  },
};

async function buildOutgoingMessage(db: Database, message: LeasedMessage): Promise<OutgoingMessage> {
  const { id, recipient, subject, body_text: text } = message;
  const { sender } = await readInvoiceDocument(db, message);
  return { id, sender, recipient, subject, text, html: null, attachment: undefined };
}
