import type { Config } from '../../config/config.js';
import type { Change, Command, CommandOutcome, EventDraft } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { applyMove, type InvoiceRow, mayMove } from '../invoices/handlers/lifecycle.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import { takeNoticeOfDay } from '../planned-messages/text-limits.js';
import { storeConsents } from '../text-consents/store.js';
import type { MessageFailure } from './commands.js';
import { isRecordedAsSent, LockedMessages, type MessageRow } from './message-rows.js';

/**
 * Records that the provider has accepted the messages. The first accepted message of a release also
 * marks the invoice as sent, and records `invoice.sent`.
 */
export async function recordMessagesSent(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const locked = await LockedMessages.lock(tx, commands);
  const outcomes = commands.map((command): CommandOutcome => {
    const message = locked.getMessage(command);
    if (!message) return notFoundOutcome('message');
    if (message.state === 'sent' || isRecordedAsSent(message)) return { ok: true, changes: [], events: [] };
    const at = message.accepted_at ?? new Date().toISOString();
    locked.changeMessage({ ...message, state: 'sent', sent_at: at, error: null });
    const changes: Change[] = [{ field: 'state', from: message.state, to: 'sent' }];
    // If the message had already been marked as failed, do not mark the invoice as sent. The
    // invoice may now wait for a newer message.
    const events = message.state === 'queued' ? markInvoiceSent(locked, { command, message, at }) : [];
    return { ok: true, changes, events };
  });
  await locked.store(tx);
  return outcomes;
}

/**
 * Marks the invoice as sent, and returns the event `invoice.sent`. Returns no event if an earlier
 * message of the same release has already marked the invoice.
 */
export function markInvoiceSent(
  locked: LockedMessages,
  { command, message, at }: { command: Command; message: MessageRow; at: string },
): EventDraft[] {
  const invoice = locked.getInvoice(message);
  if (invoice?.delivery_state !== 'queued') return [];
  locked.changeInvoice(command, { ...invoice, delivery_state: 'sent', sent_at: at });
  return [{ type: 'invoice.sent', entity: { type: 'invoice', id: invoice.id } }];
}

/**
 * Records that the provider refused the messages for good. If no other message of the invoice is
 * queued or was sent, the invoice's delivery fails too. If a payment or the customer has already
 * changed the invoice's status, that status stays.
 */
export async function recordMessagesFailed(
  tx: Transaction,
  commands: Command<MessageFailure>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const locked = await LockedMessages.lock(tx, commands);
  const now = new Date().toISOString();
  const outcomes = commands.map((command): CommandOutcome => {
    const message = locked.getMessage(command);
    if (!message) return notFoundOutcome('message');
    const { reason } = command.input;
    if (message.state !== 'queued' || message.accepted_at) return { ok: true, changes: [], events: [] };
    locked.changeMessage({ ...message, state: 'failed', error: reason });
    const changes: Change[] = [
      { field: 'state', from: 'queued', to: 'failed' },
      { field: 'error', from: message.error, to: reason },
    ];
    const invoice = locked.getInvoice(message);
    if (invoice?.delivery_state !== 'queued' || locked.hasOtherQueuedMessages(message))
      return { ok: true, changes, events: [] };
    const { row, change } = failInvoice(invoice, { now, reason });
    locked.changeInvoice(command, row);
    return { ok: true, changes: [...changes, ...change], events: [] };
  });
  await locked.store(tx);
  await storeConsents(
    tx,
    commands.flatMap((command) => {
      const message = command.input.is_opted_out ? locked.getMessage(command) : undefined;
      if (!message) return [];
      const { tenant_id, recipient: number } = message;
      return [{ tenant_id, number, state: 'opted_out' as const, source: 'vendor' as const }];
    }),
  );
  await noticeLimits(
    tx,
    commands.flatMap((command) => {
      const message = command.input.is_over_limit ? locked.getMessage(command) : undefined;
      return message ? [{ command, message }] : [];
    }),
    config,
  );
  return outcomes;
}

/** Sends each account at most one notice per day that its texts have reached their price limit. */
async function noticeLimits(
  tx: Transaction,
  stopped: readonly { command: Command; message: MessageRow }[],
  config: Config,
): Promise<void> {
  const notices: { command: Command; notice: NoticeDraft }[] = [];
  for (const { command, message } of stopped) {
    const { tenant_id, connection_id } = message;
    if (connection_id === null || !(await takeNoticeOfDay(tx, { tenant_id, connection_id }))) continue;
    notices.push({
      command,
      notice: {
        kind: 'text_limit_reached',
        title: 'Texts have reached their price limit of today',
        text: 'Further texts of today fail. Raise daily_limit_cents of the connection, then send the failed ones again.',
        entity_type: 'connection',
        entity_id: connection_id,
      },
    });
  }
  await insertNotices(tx, notices, config);
}

/**
 * Records that the vendor accepted the messages but could not deliver them. If no other message of
 * the invoice is queued, the invoice's delivery fails too. If a payment or the customer has already
 * changed the invoice's status, that status stays.
 */
export async function recordMessagesUndelivered(
  tx: Transaction,
  commands: Command<MessageFailure>[],
): Promise<CommandOutcome[]> {
  const locked = await LockedMessages.lock(tx, commands);
  const now = new Date().toISOString();
  const outcomes = commands.map((command): CommandOutcome => {
    const message = locked.getMessage(command);
    if (!message) return notFoundOutcome('message');
    const { reason } = command.input;
    // If the message waits to be sent again, ignore the vendor's report, because it is about the
    // earlier attempt.
    const isSentAgain = message.state === 'queued' && message.accepted_at === null;
    // The first report about the end of a text counts.
    const hasEnded = message.state === 'failed' || message.delivered_at !== null;
    if (hasEnded || isSentAgain) return { ok: true, changes: [], events: [] };
    // If no command has recorded the acceptance yet, record it here. A later command that records
    // the acceptance then changes nothing.
    const sent_at = message.state === 'queued' ? message.accepted_at : message.sent_at;
    locked.changeMessage({ ...message, state: 'failed', sent_at, error: reason });
    const changes: Change[] = [{ field: 'state', from: message.state, to: 'failed' }];
    if (locked.hasOtherQueuedMessages(message)) return { ok: true, changes, events: [] };
    const invoice = locked.getInvoice(message);
    if (!invoice) return { ok: true, changes, events: [] };
    const { row, change } = failInvoice(invoice, { now, reason });
    locked.changeInvoice(command, row);
    return { ok: true, changes: [...changes, ...change], events: [] };
  });
  await locked.store(tx);
  return outcomes;
}

function failInvoice(
  invoice: InvoiceRow,
  { now, reason }: { now: string; reason: string },
): { row: InvoiceRow; change: Change[] } {
  const row: InvoiceRow = { ...invoice, delivery_state: 'failed' };
  if (invoice.status !== 'sending' || !mayMove(invoice, 'failed', 'P')) return { row, change: [] };
  const moved = applyMove(row, 'failed', { now, reason });
  return { row: moved.row, change: [{ field: 'invoice.status', from: invoice.status, to: 'failed' }] };
}
