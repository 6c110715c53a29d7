import type { OpenConnection } from '../../contract/connection.js';

const PAGES = {
  Customer: 'customerdetail?nameId=',
  Invoice: 'invoice?txnId=',
  Payment: 'recvpayment?txnId=',
} as const;

/** Returns the address of a record's page for people. */
export function buildWebAddress(
  { environment }: OpenConnection,
  entity: keyof typeof PAGES,
  id: string,
): string {
  const host = environment === 'sandbox' ? 'app.sandbox.qbo.intuit.com' : 'app.qbo.intuit.com';
  return `https://${host}/app/${PAGES[entity]}${encodeURIComponent(id)}`;
}
