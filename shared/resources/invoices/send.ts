import type { Command } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres.js';
import { type RecordRef, recordset, refKey, refOf, renderRecords } from '../sets.js';
import { type InvoiceJson, writeEmail, writeText } from './message.js';

interface ContactRow extends RecordRef {
  billing_email: string | null;
  company_email: string | null;
  company_phone: string | null;
  contact_phone: string | null;
}

export interface Recipient {
  channel: 'email' | 'sms';
  address: string;
}

/** Where an invoice may go: what the request names, else what invoice, customer or job know. */
export interface Recipients {
  of(
    command: Command,
    asked: { channel: 'email' | 'sms' | 'both'; to?: string | undefined },
  ): { found: Recipient[] } | { missing: string };
}

export async function findRecipients(tx: Transaction, refs: RecordRef[]): Promise<Recipients> {
  const rows = await tx.query<ContactRow>({
    name: 'invoice-recipients',
    text: `select i.tenant_id, i.id, i.billing_email, c.billing_email as company_email, c.primary_phone as company_phone, w.contact_phone
           from ${recordset('tenant_id uuid, id uuid')} join invoices i on i.tenant_id = r.tenant_id and i.id = r.id
           left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
           left join work_orders w on w.tenant_id = i.tenant_id and w.id = i.work_order_id`,
    values: [JSON.stringify(refs)],
  });
  const contacts = new Map(rows.map((row) => [refKey(row), row]));
  return {
    of(command, { channel, to }) {
      const row = contacts.get(refKey(refOf(command)));
      const email = (channel === 'email' && to) || row?.billing_email || row?.company_email;
      const phone = (channel === 'sms' && to) || row?.contact_phone || row?.company_phone;
      if (channel !== 'sms' && !email)
        return { missing: 'There is no address to send to: give `to`, or set billing_email.' };
      if (channel !== 'email' && !phone)
        return { missing: 'There is no phone number to send to: give `to`, or set one on the customer.' };
      const found: Recipient[] = [];
      if (channel !== 'sms') found.push({ channel: 'email', address: email as string });
      if (channel !== 'email') found.push({ channel: 'sms', address: phone as string });
      return { found };
    },
  };
}

/** One invoice on its way out. */
export interface Sending {
  command: Command;
  recipients: Recipient[];
}

/**
 * Puts messages into the outbox, in the transaction that releases the invoices. Without a mail server that is where they stay, to be seen; nothing leaves a
 * sandbox ever.
 */
export async function sendInvoices(tx: Transaction, sendings: Sending[]): Promise<void> {
  if (sendings.length === 0) return;
  const refs = sendings.map(({ command }) => refOf(command));
  const [bodies, names] = await Promise.all([renderRecords(tx, 'invoice', refs), readNames(tx, refs)]);
  const rows = sendings.flatMap(({ command, recipients }) => {
    const invoice = JSON.parse(bodies.get(refKey(refOf(command))) as string) as InvoiceJson;
    const sender = names.get(command.tenantId) ?? '';
    return recipients.map(({ channel, address }) => ({
      tenant_id: command.tenantId,
      id: newId(),
      invoice_id: command.entityId,
      channel,
      recipient: address,
      ...(channel === 'email' ? writeEmail(sender, invoice) : writeText(sender, invoice)),
    }));
  });
  await tx.query({
    name: 'insert-messages',
    text: `insert into messages (tenant_id, id, invoice_id, channel, recipient, subject, body_text, body_html, state, provider, sent_at)
           select tenant_id, id, invoice_id, channel, recipient, subject, body_text, body_html, 'sent', 'outbox', now()
           from ${recordset(`tenant_id uuid, id uuid, invoice_id uuid, channel text, recipient text, subject text, body_text text, body_html text`)}`,
    values: [JSON.stringify(rows)],
  });
}

async function readNames(tx: Transaction, refs: RecordRef[]): Promise<Map<string, string>> {
  const tenants = [...new Set(refs.map((ref) => ref.tenant_id))];
  const rows = await tx.query<{ tenant_id: string; name: string }>({
    name: 'tenant-names',
    text: 'select tenant_id, name from tenants where tenant_id = any($1::uuid[])',
    values: [tenants],
  });
  return new Map(rows.map((row) => [row.tenant_id, row.name]));
}
