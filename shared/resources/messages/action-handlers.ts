import type { Config } from '../../config/config.js';
import type { Command, CommandOutcome, EventDraft } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey } from '../../records/record-refs.js';
import { findUnknownWrites, insertOperations } from '../../sync/operation-rows.js';
import { applyMove, type InvoiceRow, mayMove, refuseInvoiceMove } from '../invoices/handlers/lifecycle.js';
import { writeMessageBodies } from '../invoices/handlers/send.js';
import type { InvoiceStatus } from '../invoices/transitions.js';
import { type BilledPartner, findBilledPartners, refuseMail } from '../open-claims/release.js';
import { findTextConnections, OUTBOX_PROVIDER, providerFor } from '../planned-messages/choose-provider.js';
import { deriveLinkKey, LINK_DAYS, sealLink } from '../planned-messages/link.js';
import { planOperations, promptProviders } from '../planned-messages/plan.js';
import { findPretendFailure } from '../planned-messages/pretend-text.js';
import { isRecordedAsSent, LockedMessages, type MessageRow } from './message-rows.js';
import { markInvoiceSent } from './record-handler.js';

/**
 * The statuses of an invoice in which its messages may be sent again. In these statuses, the
 * invoice was released, is not void, and is not being edited.
 */
const RETRYABLE_STATUSES: readonly InvoiceStatus[] = [
  'failed',
  'sending',
  'sent_to_roadsync',
  'viewed',
  'partially_paid',
  'paid',
  'overdue',
];

const DAY_MS = 86_400_000;

/**
 * Sends failed messages again, rewritten from the current state of their invoices. Messages that
 * did not fail stay unchanged. A text that an earlier attempt may have sent keeps its content and
 * its connection, so that the vendor can recognize the repetition.
 */
export async function retryMessages(
  tx: Transaction,
  commands: Command[],
  config: Config,
): Promise<CommandOutcome[]> {
  const locked = await LockedMessages.lock(tx, commands);
  const failed = commands.filter((command) => mayRetry(locked.getMessage(command), command));
  const unknown = await findUnknownWrites(
    tx,
    failed.map((command) => locked.getMessage(command) as MessageRow),
  );
  const bodies = await writeMessageBodies(
    tx,
    failed.flatMap((command) => buildBodyRequest(command, locked.getMessage(command) as MessageRow, config)),
  );
  const billed = await findBilledPartners(tx, listInvoices(locked, failed));
  const now = new Date();
  const textConnections = await findTextConnections(
    tx,
    failed.map(({ tenantId }) => tenantId),
  );
  const retried: MessageRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const message = locked.getMessage(command);
    if (!message) return notFoundOutcome('message');
    if (!mayRetry(message, command)) return { ok: true, changes: [], events: [] };
    const invoice = locked.getInvoice(message);
    if (!invoice)
      return failedOutcome({
        code: 'conflict',
        message: 'Write a new text instead: this one concerns no invoice.',
      });
    const refusal = refuseRetry(invoice, billed.get(refKey(invoice)));
    if (refusal) return refusal;
    const mayHaveArrived = unknown.has(refKey(message));
    const { provider, connectionId } = mayHaveArrived
      ? { provider: message.provider, connectionId: message.connection_id }
      : providerFor(
          config,
          { channel: message.channel, environment: command.environment },
          textConnections.get(command.tenantId),
        );
    const next = {
      ...message,
      ...(mayHaveArrived ? {} : bodies.get(message.id)),
      ...resetForRetry(now),
      provider,
      connection_id: connectionId,
    };
    retried.push(next);
    locked.changeInvoice(command, markInvoiceQueued(invoice, now));
    const events =
      provider === OUTBOX_PROVIDER
        ? sendToOutbox(locked, { command, message: next, now })
        : queueMessage(locked, next);
    const changes = [
      { field: 'state', from: 'failed', to: provider === OUTBOX_PROVIDER ? 'sent' : 'queued' },
    ];
    return {
      ok: true,
      changes,
      events,
      prompts: promptProviders([{ id: message.id, provider, connectionId }]),
    };
  });
  await locked.store(tx);
  await insertOperations(tx, planOperations(retried));
  return outcomes;
}

/**
 * True if the message has failed and may be sent again. False if the provider has accepted the
 * message, but no command has recorded the acceptance yet. That command will mark the message as
 * sent. Also false if a sandbox pretends the failure, because a new attempt would fail too.
 */
function mayRetry(
  message: MessageRow | undefined,
  { environment }: Pick<Command, 'environment'>,
): message is MessageRow {
  if (message?.state !== 'failed' || (message.accepted_at !== null && !isRecordedAsSent(message)))
    return false;
  return findPretendFailure({ ...message, environment }) === null;
}

function listInvoices(locked: LockedMessages, commands: readonly Command[]): RecordRef[] {
  return commands.flatMap((command) => {
    const message = locked.getMessage(command);
    return (message && locked.getInvoice(message)) ?? [];
  });
}

function refuseRetry(invoice: InvoiceRow, partner: BilledPartner | undefined): CommandOutcome | undefined {
  const { status } = invoice;
  if (!RETRYABLE_STATUSES.includes(status))
    return refuseInvoiceMove(invoice, 'sending', `The invoice is ${status}: it cannot be sent now.`);
  const claim = partner?.claim;
  const isAtPartner = claim && claim.connection_id !== null && claim.status !== 'short_paid';
  return isAtPartner ? refuseInvoiceMove(invoice, 'sending', refuseMail(claim)) : undefined;
}

function buildBodyRequest(command: Command, message: MessageRow, config: Config) {
  const { id, channel, invoice_id: invoiceId, template } = message;
  // Do not rewrite a text from a template, because it describes the moment at which it was written.
  if (invoiceId === null || template !== null) return [];
  const token = sealLink(deriveLinkKey(config), { tenantId: command.tenantId, messageId: id });
  return [
    {
      message: { id, channel, url: `${config.publicUrl}/i/${token}` },
      ref: { tenant_id: command.tenantId, id: invoiceId },
    },
  ];
}

function resetForRetry(now: Date) {
  return {
    error: null,
    attempts: 0,
    attempt_after: now.toISOString(),
    accepted_at: null,
    counted_at: null,
    link_expires_at: new Date(now.getTime() + LINK_DAYS * DAY_MS).toISOString(),
    link_revoked_at: null,
  };
}

/**
 * Returns the invoice as it is after the retry. A delivered invoice keeps its delivery state
 * `sent`. A failed invoice moves back to the status `sending`.
 */
function markInvoiceQueued(invoice: InvoiceRow, now: Date): InvoiceRow {
  if (invoice.delivery_state === 'sent') return invoice;
  const row: InvoiceRow = { ...invoice, delivery_state: 'queued' };
  return invoice.status === 'failed' && mayMove(invoice, 'sending', 'O')
    ? applyMove(row, 'sending', { now: now.toISOString() }).row
    : row;
}

function queueMessage(locked: LockedMessages, message: MessageRow): EventDraft[] {
  locked.changeMessage({ ...message, state: 'queued' });
  return [];
}

function sendToOutbox(
  locked: LockedMessages,
  { command, message, now }: { command: Command; message: MessageRow; now: Date },
): EventDraft[] {
  const at = now.toISOString();
  locked.changeMessage({ ...message, state: 'sent', sent_at: at });
  return markInvoiceSent(locked, { command, message, at });
}

/** Revokes the messages' links, so that they no longer open their invoices. */
export async function revokeMessageLinks(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const locked = await LockedMessages.lock(tx, commands);
  const now = new Date().toISOString();
  const outcomes = commands.map((command): CommandOutcome => {
    const message = locked.getMessage(command);
    if (!message) return notFoundOutcome('message');
    if (message.link_revoked_at) return { ok: true, changes: [], events: [] };
    locked.changeMessage({ ...message, link_revoked_at: now });
    return { ok: true, changes: [{ field: 'link_revoked_at', from: null, to: now }], events: [] };
  });
  await locked.store(tx);
  return outcomes;
}
