import type { Transaction } from '../../shared/platform/postgres/database.js';
import { writeMessageBodies } from '../../shared/resources/invoices/handlers/send.js';
import { OUTBOX_PROVIDER } from '../../shared/resources/planned-messages/choose-provider.js';
import { deriveLinkKey, LINK_DAYS, sealLink } from '../../shared/resources/planned-messages/link.js';
import { insertRows } from './insert-records.js';
import type { DemoInvoice } from './records/invoices.js';
import { deriveTimedDemoId } from './records/random.js';
import { DEMO_TENANT_IDS } from './records/tenants.js';

/** The maximum number of sent messages per tenant. */
const MESSAGES_PER_TENANT = 6;
const DAY_MS = 86_400_000;
const FAILURE_REASON = 'The mail server refused the message: 550 5.1.1 No such user here';

export interface DemoLinkOptions {
  /** The deployment's SECRET_KEY, which seals the links in the messages. */
  secretKey: string;
  /** Base URL of the links, without a trailing slash. */
  publicUrl: string;
}

/**
 * Inserts one mail for each of a tenant's latest sent invoices. One invoice per tenant gets a mail
 * that failed, which a person can send again.
 */
export async function insertDemoMessages(
  tx: Transaction,
  invoices: readonly DemoInvoice[],
  { secretKey, publicUrl }: DemoLinkOptions,
): Promise<void> {
  const key = deriveLinkKey({ secretKey });
  const mailedInvoices = DEMO_TENANT_IDS.flatMap((tenantId) => findLatestMailed(invoices, tenantId)).map(
    (invoice) => {
      const { tenant_id, id: invoice_id, delivery_state, billing_email: recipient } = invoice;
      const at = invoice.sent_at ?? invoice.created_at;
      const id = deriveTimedDemoId(`message/${invoice_id}`, at);
      const state = delivery_state === 'failed' ? 'failed' : 'sent';
      const provider = state === 'failed' ? 'smtp' : OUTBOX_PROVIDER;
      const url = `${publicUrl}/i/${sealLink(key, { tenantId: tenant_id, messageId: id })}`;
      return { tenant_id, id, invoice_id, recipient: recipient as string, state, provider, at, url };
    },
  );
  const bodies = await writeMessageBodies(
    tx,
    mailedInvoices.map(({ tenant_id, id, invoice_id, recipient: address, provider, url }) => ({
      message: { id, channel: 'email' as const, address, provider, url },
      ref: { tenant_id, id: invoice_id },
    })),
  );
  const linkExpiry = new Date(Date.now() + LINK_DAYS * DAY_MS);
  const rows = mailedInvoices.map(({ url: _url, at, ...row }) => ({
    ...row,
    ...bodies.get(row.id),
    channel: 'email',
    error: row.state === 'failed' ? FAILURE_REASON : null,
    attempts: row.state === 'failed' ? 1 : 0,
    created_at: at,
    updated_at: at,
    attempt_after: at,
    sent_at: row.state === 'sent' ? at : null,
    link_expires_at: linkExpiry,
  }));
  await insertRows(tx, 'messages', rows);
}

function findLatestMailed(invoices: readonly DemoInvoice[], tenantId: string): DemoInvoice[] {
  const mailedInvoices = invoices.filter(
    ({ tenant_id, delivery_state, billing_email }) =>
      tenant_id === tenantId && billing_email && (delivery_state === 'sent' || delivery_state === 'failed'),
  );
  const failed = mailedInvoices.filter(({ delivery_state }) => delivery_state === 'failed').slice(-1);
  const sent = mailedInvoices
    .filter(({ delivery_state }) => delivery_state === 'sent')
    .slice(-MESSAGES_PER_TENANT);
  return [...sent, ...failed];
}
