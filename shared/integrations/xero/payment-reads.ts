import type { BookPayment, KnownPayment } from '../contract/accounting.js';
import { readOwnNote } from '../contract/books/own-note.js';
import type { OpenConnection } from '../contract/connection.js';
import { callXero } from './api/client.js';
import { chunk } from './api/pages.js';
import type { XeroPayment } from './payment-mapper.js';

/** The largest page. 40 invoices have fewer payments. */
const MAX_LISTED = '1000';

/** Lists payments by their ids or those of their invoices. Omits what is no id. */
export async function listBy(
  connection: OpenConnection,
  member: 'Invoice.InvoiceID' | 'PaymentID',
  wanted: readonly string[],
): Promise<XeroPayment[]> {
  const found: XeroPayment[] = [];
  // Read one chunk after another, because Xero allows five calls at the same time.
  for (const ids of chunk(wanted)) {
    const where = ids.map((id) => `${member}==guid("${id}")`).join(' OR ');
    const { Payments = [] } = await callXero<{ Payments?: XeroPayment[] }>(connection, {
      method: 'GET',
      path: '/Payments',
      query: { where, page: '1', pageSize: MAX_LISTED },
    });
    found.push(...Payments);
  }
  return found;
}

/**
 * Lists the records of a payment of ours among those of its invoice, the known one first. Xero
 * changes no payment, so a changed one was deleted and entered again.
 */
export async function listOwn(
  connection: OpenConnection,
  { paymentId, invoiceExternalId }: Pick<BookPayment, 'paymentId' | 'invoiceExternalId'>,
  known?: KnownPayment,
): Promise<XeroPayment[]> {
  const isKnown = ({ PaymentID }: XeroPayment) => PaymentID === known?.externalId;
  return (await listBy(connection, 'Invoice.InvoiceID', [invoiceExternalId]))
    .filter((one) => isKnown(one) || readOwnNote('payment', one.Reference) === paymentId)
    .sort((a, b) => Number(isKnown(b)) - Number(isKnown(a)));
}
