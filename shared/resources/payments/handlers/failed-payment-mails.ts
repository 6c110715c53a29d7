import type { Config } from '../../../config/config.js';
import type { Command, Prompt } from '../../../contracts/command.js';
import { buildInvoiceDocument, formatDay } from '../../../documents/document.js';
import type { DocumentRow } from '../../../documents/document-rows.js';
import { type FailedPayment, writeFailedPayment } from '../../../documents/failed-payment-mail.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { indexByRef, type RecordRef, recordsetSql, refKey } from '../../../records/record-refs.js';
import { buildInvoiceDocumentQuery } from '../../invoices/document-query.js';
import type { InvoiceRow } from '../../invoices/handlers/lifecycle.js';
import { isVisibleToCustomer } from '../../invoices/transitions.js';
import { LINK_DAYS } from '../../planned-messages/link.js';
import { planMessages, promptProviders } from '../../planned-messages/plan.js';
import { findFirstState, insertMessages } from '../../planned-messages/store.js';

/** A payment that failed, with its invoice as it is now stored. */
export interface FailedPaymentOf extends FailedPayment {
  command: Command;
  invoice: InvoiceRow;
}

const DAY_MS = 86_400_000;

/**
 * Stores a mail to the customer of each failed payment, with a link for paying again. Stores no
 * mail if the invoice has no address, is not open, or was never shown to the customer. Call this
 * function after the invoices are stored.
 * @returns the wake-up jobs of each command, by the command's id
 */
export async function mailFailedPayments(
  tx: Transaction,
  failed: readonly FailedPaymentOf[],
  config: Config,
): Promise<Map<string, Prompt[]>> {
  const prompts = new Map<string, Prompt[]>();
  const open = failed.filter(
    ({ invoice }) => isVisibleToCustomer(invoice.status) && invoice.paid_cents < invoice.total_cents,
  );
  if (open.length === 0) return prompts;
  const refs = [...new Map(open.map(({ invoice }) => [refKey(invoice), toRef(invoice)])).values()];
  const addresses = await readAddresses(tx, refs);
  const documents = indexByRef(await tx.query<DocumentRow & RecordRef>(buildInvoiceDocumentQuery(refs)));
  const end = new Date(Date.now() + LINK_DAYS * DAY_MS);
  const rows = open.flatMap(({ command, invoice, ...payment }) => {
    const address = addresses.get(refKey(invoice));
    const row = documents.get(refKey(invoice));
    if (!address || !row) return [];
    const recipients = [{ channel: 'email' as const, address }];
    return planMessages(command, recipients, { config, textConnections: new Map() }).map((message) => {
      const { id, channel, provider, connectionId: connection_id, failure, url } = message;
      prompts.set(command.id, promptProviders([message]));
      const link = { url, until: formatDay(end, row.time_zone) };
      return {
        tenant_id: invoice.tenant_id,
        id,
        invoice_id: invoice.id,
        template: payment.kind,
        channel,
        recipient: address,
        provider,
        connection_id,
        ...findFirstState(provider, failure),
        ...writeFailedPayment(buildInvoiceDocument(row), link, payment),
      };
    });
  });
  await insertMessages(tx, rows);
  return prompts;
}

function toRef({ tenant_id, id }: RecordRef): RecordRef {
  return { tenant_id, id };
}

async function readAddresses(
  tx: Transaction,
  refs: readonly RecordRef[],
): Promise<Map<string, string | null>> {
  const rows = await tx.query<RecordRef & { address: string | null }>({
    name: 'read-addresses-of-payers',
    text: `select i.tenant_id, i.id, coalesce(i.billing_email, c.billing_email) as address
           from ${recordsetSql('tenant_id uuid, id uuid')} join invoices i on i.tenant_id = r.tenant_id and i.id = r.id
           left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id`,
    values: [JSON.stringify(refs)],
  });
  return new Map(rows.map((row) => [refKey(row), row.address]));
}
