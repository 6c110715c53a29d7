import type { Command, EventDraft, Outcome } from '../../contracts/command.js';
import type { Config } from '../../platform/config.js';
import type { Transaction } from '../../platform/postgres.js';
import { applyMove, type InvoiceRow, illegalMove, mayMove } from '../invoices/lifecycle.js';
import { writeMessageBodies } from '../invoices/send.js';
import type { InvoiceStatus } from '../invoices/transitions.js';
import { missing } from '../sets.js';
import { LINK_DAYS, linkKeyOf, sealLink } from './link.js';
import { LockedMessages, type MessageRow } from './message-rows.js';
import { OUTBOX, providerFor } from './provider.js';
import { deliver } from './record-handler.js';

/** States of an invoice whose message may go out again: it was released, and is neither annulled nor being rewritten. */
const RETRIED_IN: readonly InvoiceStatus[] = [
  'failed',
  'sending',
  'sent_to_roadsync',
  'viewed',
  'partially_paid',
  'paid',
  'overdue',
];

const DAY_MS = 86_400_000;

/** Sends failed messages once more, saying what is true of their invoices now. What has not failed stays as it is. */
export async function retryMessages(
  tx: Transaction,
  commands: Command[],
  config: Config,
): Promise<Outcome[]> {
  const locked = await LockedMessages.lock(tx, commands);
  const failed = commands.filter((command) => locked.messageOf(command)?.state === 'failed');
  const bodies = await writeMessageBodies(
    tx,
    failed.map((command) => aboutOf(command, locked.messageOf(command) as MessageRow, config)),
  );
  const now = new Date();
  const outcomes = commands.map((command): Outcome => {
    const message = locked.messageOf(command);
    if (!message) return missing('message');
    if (message.state !== 'failed') return { ok: true, changes: [], events: [] };
    const invoice = locked.invoiceOf(message);
    if (!RETRIED_IN.includes(invoice.status))
      return illegalMove(invoice, 'sending', `The invoice is ${invoice.status}: it cannot be sent now.`);
    const provider = providerFor(config, message.channel, command.environment);
    const next = { ...message, ...bodies.get(message.id), ...freshState(now), provider };
    locked.changeInvoice(command, queuedInvoice(invoice, now));
    const events =
      provider === OUTBOX ? layOut(locked, { command, message: next, now }) : waitFor(locked, next);
    const changes = [{ field: 'state', from: 'failed', to: provider === OUTBOX ? 'sent' : 'queued' }];
    return { ok: true, changes, events, queuedMessages: provider === OUTBOX ? [] : [message.id] };
  });
  await locked.store(tx);
  return outcomes;
}

function aboutOf(command: Command, message: MessageRow, config: Config) {
  const { id, channel, recipient: address, provider } = message;
  const token = sealLink(linkKeyOf(config), { tenantId: command.tenantId, messageId: id });
  return {
    message: { id, channel, address, provider, url: `${config.publicUrl}/i/${token}` },
    ref: { tenant_id: command.tenantId, id: message.invoice_id },
  };
}

function freshState(now: Date) {
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

/** A delivered invoice stays so; a failed one is on its way again. */
function queuedInvoice(invoice: InvoiceRow, now: Date): InvoiceRow {
  if (invoice.delivery_state === 'sent') return invoice;
  const row: InvoiceRow = { ...invoice, delivery_state: 'queued' };
  return invoice.status === 'failed' && mayMove(invoice, 'sending', 'O')
    ? applyMove(row, 'sending', { now: now.toISOString() }).row
    : row;
}

function waitFor(locked: LockedMessages, message: MessageRow): EventDraft[] {
  locked.changeMessage({ ...message, state: 'queued' });
  return [];
}

function layOut(
  locked: LockedMessages,
  { command, message, now }: { command: Command; message: MessageRow; now: Date },
): EventDraft[] {
  const at = now.toISOString();
  locked.changeMessage({ ...message, state: 'sent', sent_at: at });
  return deliver(locked, { command, message, at });
}

/** The link of a message opens nothing any more. */
export async function revokeMessageLinks(tx: Transaction, commands: Command[]): Promise<Outcome[]> {
  const locked = await LockedMessages.lock(tx, commands);
  const now = new Date().toISOString();
  const outcomes = commands.map((command): Outcome => {
    const message = locked.messageOf(command);
    if (!message) return missing('message');
    if (message.link_revoked_at) return { ok: true, changes: [], events: [] };
    locked.changeMessage({ ...message, link_revoked_at: now });
    return { ok: true, changes: [{ field: 'link_revoked_at', from: null, to: now }], events: [] };
  });
  await locked.store(tx);
  return outcomes;
}
