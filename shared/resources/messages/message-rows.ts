import type { Command } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffPatch } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { type AuditedSideEffect, auditSideEffects } from '../audit-log/audit-side-effects.js';
import { type InvoiceRow, lockInvoices, storeLifecycle } from '../invoices/handlers/lifecycle.js';
import type { DeliveryChannel } from '../planned-messages/choose-provider.js';
import { storeMessages } from '../planned-messages/store.js';

/** A message's row, which the current transaction has locked. */
export interface MessageRow extends Row, RecordRef {
  /** Null for a text that does not belong to an invoice. */
  invoice_id: string | null;
  direction: 'outbound' | 'inbound';
  /**
   * The template that wrote the message. Null if the message announces an invoice, or if a person
   * wrote it.
   */
  template: string | null;
  channel: DeliveryChannel;
  recipient: string;
  subject: string | null;
  body_text: string;
  body_html: string | null;
  state: 'queued' | 'sent' | 'failed' | 'received';
  provider: string;
  connection_id: string | null;
  error: string | null;
  attempts: number;
  attempt_after: string;
  accepted_at: string | null;
  counted_at: string | null;
  sent_at: string | null;
  /** When the vendor reported that the text arrived. `store` does not change it. */
  delivered_at: string | null;
  link_expires_at: string | null;
  link_revoked_at: string | null;
}

/**
 * True if the provider has accepted the message and a command has recorded the acceptance. The
 * message may still have failed later, because the vendor could not deliver it.
 */
export function isRecordedAsSent({ state, accepted_at, sent_at }: MessageRow): boolean {
  return state !== 'queued' && accepted_at !== null && sent_at === accepted_at;
}

/**
 * Locks the messages of a batch of commands, and the invoices of these messages. Collects the
 * changes until `store` writes them. Several commands may change the same invoice, so each command
 * reads the changes of the commands before it.
 */
export class LockedMessages {
  private readonly changedMessages = new Map<string, MessageRow>();
  private readonly changedInvoices = new Map<string, InvoiceRow>();
  private readonly entries: AuditedSideEffect[] = [];

  private constructor(
    private readonly messages: Map<string, MessageRow>,
    private readonly invoices: Map<string, InvoiceRow>,
    /** Ids of the queued messages of each invoice. The map's key is the invoice's `refKey`. */
    private readonly queued: Map<string, Set<string>>,
  ) {}

  /**
   * Locks the invoices before the messages. Commands that send an invoice lock in the same
   * sequence, so a deadlock is impossible.
   */
  static async lock(tx: Transaction, commands: Command[]): Promise<LockedMessages> {
    const refs = commands.map(toRecordRef);
    const found = await tx.query<RecordRef>({
      name: 'invoices-of-messages',
      text: `select m.tenant_id, m.invoice_id as id from ${recordsetSql('tenant_id uuid, id uuid')}
             join messages m on m.tenant_id = r.tenant_id and m.id = r.id where m.invoice_id is not null`,
      values: [JSON.stringify(refs)],
    });
    const invoices = await lockInvoices(tx, found);
    const [messages, waiting] = await Promise.all([
      lockRecords<MessageRow>(tx, 'messages', refs),
      tx.query<RecordRef & { message_id: string }>({
        name: 'queued-messages-of-invoices',
        text: `select m.tenant_id, m.invoice_id as id, m.id as message_id from ${recordsetSql('tenant_id uuid, id uuid')}
               join messages m on m.tenant_id = r.tenant_id and m.invoice_id = r.id and m.state = 'queued'`,
        values: [JSON.stringify(found)],
      }),
    ]);
    const queued = new Map<string, Set<string>>();
    for (const row of waiting) {
      const ids = queued.get(refKey(row)) ?? new Set();
      queued.set(refKey(row), ids.add(row.message_id));
    }
    return new LockedMessages(messages, invoices, queued);
  }

  getMessage(command: Command): MessageRow | undefined {
    return this.messages.get(refKey(toRecordRef(command)));
  }

  /** Returns undefined if the message does not belong to an invoice. */
  getInvoice({ tenant_id, invoice_id: id }: MessageRow): InvoiceRow | undefined {
    return id === null ? undefined : this.invoices.get(refKey({ tenant_id, id }));
  }

  /** True if another message of the same invoice is queued, and may still reach the customer. */
  hasOtherQueuedMessages(message: MessageRow): boolean {
    const { tenant_id, invoice_id: id } = message;
    const ids = id === null ? undefined : this.queued.get(refKey({ tenant_id, id }));
    return [...(ids ?? [])].some((id) => id !== message.id);
  }

  changeMessage(message: MessageRow): void {
    const key = refKey(message);
    this.messages.set(key, message);
    this.changedMessages.set(key, message);
    if (message.invoice_id === null) return;
    const invoice = refKey({ tenant_id: message.tenant_id, id: message.invoice_id });
    const ids = this.queued.get(invoice) ?? new Set();
    this.queued.set(invoice, ids);
    if (message.state === 'queued') ids.add(message.id);
    else ids.delete(message.id);
  }

  /**
   * Changes the invoice, and adds the change to the invoice's own audit history.
   * @param command the command that causes the change
   */
  changeInvoice(command: Command, invoice: InvoiceRow): void {
    const { status, status_reason, delivery_state } = invoice;
    const changes = diffPatch(this.invoices.get(refKey(invoice)) as InvoiceRow, {
      status,
      status_reason,
      delivery_state,
    });
    if (changes.length > 0)
      this.entries.push({
        command,
        entityType: 'invoice',
        entityId: invoice.id,
        action: 'invoice.updated',
        changes,
      });
    this.invoices.set(refKey(invoice), invoice);
    this.changedInvoices.set(refKey(invoice), invoice);
  }

  async store(tx: Transaction): Promise<void> {
    const storing = [
      storeLifecycle(tx, [...this.changedInvoices.values()]),
      auditSideEffects(tx, this.entries),
    ];
    if (this.changedMessages.size > 0) storing.push(storeMessages(tx, [...this.changedMessages.values()]));
    await Promise.all(storing);
  }
}
