import type { StripeObject } from '../doubles/stripe/stripe-account.js';
import type { PayingAccount } from '../paying.js';

/** Lists the PaymentIntents at the double for these invoices, newest first. */
export function listIntents({ vendor }: PayingAccount, invoiceIds: readonly string[]): StripeObject[] {
  return vendor
    .list('payment_intent')
    .filter(({ metadata }) => invoiceIds.includes(Reflect.get(Object(metadata), 'invoice_id')));
}

/**
 * Maps the vendor's id of each payment of these invoices to its amount, less refunds and lost
 * disputes, as the vendor has it.
 */
export function listVendorBooks(account: PayingAccount, invoiceIds: readonly string[]) {
  const { vendor } = account;
  const taken = (id: string) =>
    vendor
      .list('refund')
      .filter((one) => one.payment_intent === id && one.status !== 'failed')
      .concat(vendor.list('dispute').filter((one) => one.payment_intent === id && one.status === 'lost'))
      .reduce((sum, { amount }) => sum + Number(amount), 0);
  const paid = listIntents(account, invoiceIds).filter(({ status }) => status === 'succeeded');
  return sortById(paid.map(({ id, amount }) => [id, Number(amount) - taken(id)]));
}

/** Maps the vendor's id of each payment to its amount, less refunds, as the account has it. */
export async function listOwnBooks(account: PayingAccount, invoiceIds: readonly string[]) {
  const lists = await Promise.all(invoiceIds.map((id) => account.listPayments(id)));
  const paid = lists.flat().filter(({ status }) => status === 'succeeded');
  return sortById(
    paid.map((one): [string, number] => [one.provider_payment_id, one.amount_cents - one.refunded_cents]),
  );
}

/** Keeps payments that the account has recorded twice, because it returns pairs. */
function sortById(books: [string, number][]): [string, number][] {
  return books.sort(([a], [b]) => a.localeCompare(b));
}
