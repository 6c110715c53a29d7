import type { Command } from '../../contracts/command.js';
import { email } from '../../contracts/fields.js';
import type { Config } from '../../platform/config.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres.js';
import { LINK_DAYS, linkKeyOf, sealLink } from '../messages/link.js';
import { type Channel, OUTBOX, providerFor } from '../messages/provider.js';
import { byRef, namesOf, nextUpdatedAt, type RecordRef, recordset, refKey, refOf } from '../sets.js';
import { documentOf, formatDay } from './document.js';
import { type DocumentRow, documentStatement } from './document-rows.js';
import { type Message, writeEmail, writeText } from './message.js';

interface ContactRow extends RecordRef {
  billing_email: string | null;
  company_email: string | null;
  company_phone: string | null;
  contact_phone: string | null;
}

export interface Recipient {
  channel: Channel;
  address: string;
}

/** Where an invoice may go: what the request names, else what invoice, customer or job know. */
export interface Recipients {
  of(
    command: Command,
    asked: { channel: 'email' | 'sms' | 'both'; to?: string | undefined },
  ): { found: Recipient[] } | { missing: string } | { invalid: string };
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
      // One address, so that nobody mails a list by one request.
      if (channel === 'email' && to && email().validate(to).error)
        return { invalid: 'to must be one mail address, such as billing@example.com' };
      const address = (channel === 'email' && to) || row?.billing_email || row?.company_email;
      const phone = (channel === 'sms' && to) || row?.contact_phone || row?.company_phone;
      if (channel !== 'sms' && !address)
        return { missing: 'There is no address to send to: give `to`, or set billing_email.' };
      if (channel !== 'email' && !phone)
        return { missing: 'There is no phone number to send to: give `to`, or set one on the customer.' };
      const found: Recipient[] = [];
      if (channel !== 'sms') found.push({ channel: 'email', address: address as string });
      if (channel !== 'email') found.push({ channel: 'sms', address: phone as string });
      return { found };
    },
  };
}

/** One message of an invoice on its way out. */
export interface PlannedMessage extends Recipient {
  id: string;
  provider: string;
  /** Where its link leads. */
  url: string;
}

/** One invoice on its way out. */
export interface Sending {
  command: Command;
  messages: PlannedMessage[];
}

/** True while a provider still has to accept a message; what only goes to the outbox is there at once. */
export function isInFlight({ messages }: Sending): boolean {
  return messages.some(({ provider }) => provider !== OUTBOX);
}

export function planMessages(command: Command, recipients: Recipient[], config: Config): PlannedMessage[] {
  const key = linkKeyOf(config);
  return recipients.map((recipient) => {
    const id = newId();
    const token = sealLink(key, { tenantId: command.tenantId, messageId: id });
    return {
      ...recipient,
      id,
      provider: providerFor(config, recipient.channel, command.environment),
      url: `${config.publicUrl}/i/${token}`,
    };
  });
}

/** What messages say, by their ids. @param about each with its invoice */
export async function writeMessageBodies(
  tx: Transaction,
  about: { message: PlannedMessage; ref: RecordRef }[],
): Promise<Map<string, Message>> {
  const refs = [...new Map(about.map(({ ref }) => [refKey(ref), ref])).values()];
  const rows = await tx.query<DocumentRow & RecordRef>(documentStatement(refs));
  const found = byRef(rows);
  const end = new Date(Date.now() + LINK_DAYS * 86_400_000);
  return new Map(
    about.map(({ message, ref }) => {
      const row = found.get(refKey(ref)) as DocumentRow;
      const link = { url: message.url, until: formatDay(end, row.time_zone) };
      const write = message.channel === 'email' ? writeEmail : writeText;
      return [message.id, write(documentOf(row), link)];
    }),
  );
}

const MESSAGES = `tenant_id uuid, id uuid, invoice_id uuid, channel text, recipient text, subject text, body_text text, body_html text, state text,
  provider text`;
const NAMES = namesOf(MESSAGES);

/**
 * Stores the messages in the transaction that releases the invoices: what waits for a provider is queued, what is for the outbox is sent by lying there.
 * Messages of an earlier release that still wait are overtaken.
 */
export async function sendInvoices(tx: Transaction, sendings: Sending[]): Promise<void> {
  if (sendings.length === 0) return;
  const overtaking = overtakeQueued(tx, sendings);
  const about = sendings.flatMap(({ command, messages }) =>
    messages.map((message) => ({ message, ref: refOf(command) })),
  );
  const [written] = await Promise.all([writeMessageBodies(tx, about), overtaking]);
  const rows = sendings.flatMap(({ command, messages }) =>
    messages.map(({ id, channel, address, provider }) => ({
      ...{
        tenant_id: command.tenantId,
        id,
        invoice_id: command.entityId,
        channel,
        recipient: address,
        provider,
      },
      ...{ state: provider === OUTBOX ? 'sent' : 'queued', ...written.get(id) },
    })),
  );
  await tx.query({
    name: 'insert-messages',
    text: `insert into messages (${NAMES.join(', ')}, sent_at, link_expires_at)
           select ${NAMES.join(', ')}, case when state = 'sent' then now() end, now() + interval '${LINK_DAYS} days'
           from ${recordset(MESSAGES)}`,
    values: [JSON.stringify(rows)],
  });
}

function overtakeQueued(tx: Transaction, sendings: Sending[]): Promise<unknown> {
  return tx.query({
    name: 'overtake-messages',
    text: `update messages m set state = case when m.accepted_at is null then 'failed' else 'sent' end, sent_at = m.accepted_at,
             error = case when m.accepted_at is null then 'The invoice was sent again before this message left.' end, updated_at = ${nextUpdatedAt('m')}
           from ${recordset('tenant_id uuid, id uuid')}
           where m.tenant_id = r.tenant_id and m.invoice_id = r.id and m.state = 'queued'`,
    values: [JSON.stringify(sendings.map(({ command }) => refOf(command)))],
  });
}
