import { randomUUID } from 'node:crypto';
import { RECONCILIATION_STREAM } from '../../../shared/integrations/contract/vendor.js';
import type { Json } from '../client.js';
import { eventually } from '../poll.js';
import { addIntent, payIntent } from './doubles/stripe/payments.js';
import type { StripeObject } from './doubles/stripe/stripe-account.js';
import type { PayingAccount } from './paying.js';

/** Waits until the running comparison has ended. The next comparison is then a day away. */
export async function waitForComparison({ stack, tenant, connectionId }: PayingAccount): Promise<void> {
  const text = `select from sync_states where tenant_id = $1 and connection_id = $3 and stream = $2 and cursor is null
    and next_at > now() + interval '1 hour'`;
  await eventually('the comparison has ended', async () => {
    const rows = await stack.rows(tenant.id, text, [tenant.id, RECONCILIATION_STREAM, connectionId]);
    return rows.length > 0;
  });
}

/** Runs the daily comparison of the account with the double of Stripe now. */
export async function compareNow(account: PayingAccount): Promise<void> {
  await waitForComparison(account);
  await account.hurry([RECONCILIATION_STREAM]);
  await waitForComparison(account);
}

/**
 * Removes all events of the account from the double, so that the product finds changes only by
 * lists.
 */
export function forgetEvents({ vendor }: PayingAccount): void {
  for (const { id } of vendor.list('event')) vendor.objects.delete(id);
}

/**
 * Pays an invoice at the double without its hosted page. The product gets no webhook and no event.
 */
export function paySilently(account: PayingAccount, invoiceId: string, cents: number): StripeObject {
  const { habits } = account.double.webhooks;
  habits.isLost = true;
  const intent = addIntent(account.vendor, {
    amount: cents,
    metadata: { invoice_id: invoiceId, pay_link_id: randomUUID() },
  });
  payIntent(account.vendor, intent, 'card');
  habits.isLost = false;
  forgetEvents(account);
  return intent;
}

export async function listDifferences(account: PayingAccount, status = 'open'): Promise<Json[]> {
  const { body } = await account.client.get(`/sync-issues?kind=difference&status=${status}`);
  return body.data.items;
}
