import { expect } from 'chai';
import { useDashboard } from '../../../support/browser/dashboard.js';
import { openForKeyboard } from '../../../support/browser/keyboard-person.js';
import { eventually } from '../../../support/poll.js';
import { createHandle } from '../../../support/use-stack.js';
import { settlePayout, startPayout } from '../../../support/vendors/doubles/stripe/payouts.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

describe('payouts by keyboard alone', function () {
  this.timeout(120_000);
  const paying = usePayingStack();
  const dashboard = useDashboard(createHandle(() => paying.stack));

  /** Pays an invoice, and sends the money to the bank in a payout. Returns the invoice's id. */
  async function payOut(account: PayingAccount, amountCents: number, count: number): Promise<string> {
    const id = await account.createInvoice(amountCents);
    const { url } = await account.openPayLink(id);
    paying.double.pay(url);
    await account.waitForInvoice(id, 'paid');
    settlePayout(account.vendor, startPayout(account.vendor));
    await eventually('the items of all payouts are read', async () => {
      const { body } = await account.client.get('/payouts');
      const complete = body.data.items.filter(
        ({ items_status }: { items_status: string }) => items_status === 'complete',
      );
      return complete.length === count;
    });
    return id;
  }

  it('a person reads the payouts and their fees, opens the items of one after the other, and follows an invoice', async () => {
    const account = await paying.createAccount();
    const first = await payOut(account, 8000, 1);
    await payOut(account, 5000, 2);
    const { tenant } = account;
    const path = `integrations/${account.connectionId}`;
    const { page, person } = await openForKeyboard(dashboard, path, { tenant });
    await person.openTab('Payouts');
    const payouts = page.getByRole('table', { name: 'Payouts' });
    const row = (fee: string) => payouts.getByRole('row').filter({ hasText: fee });
    const items = page.getByRole('table', { name: 'Items of the payout' });
    const open = async (fee: string, isBackwards = false) => {
      await person.reach(row(fee).getByRole('button', { name: /^Show items of the payout of 2/ }), {
        isBackwards,
      });
      await person.press('Enter');
      await person.waitForFocus(page.getByRole('heading', { name: /^In the payout of 2/ }));
    };
    // Stripe's fee is 2.9 % and 30 ¢.
    await open('$1.75');
    await items.getByText('$50.00').waitFor();
    await open('$2.62', true);
    await items.getByText('$80.00').waitFor();
    expect(await items.getByText('$50.00').count(), 'items of the first payout').to.equal(0);
    // Opening it again leads to its items again.
    await open('$2.62', true);
    await person.activate('link', 'Open invoice');
    await page.waitForURL(`**/invoices/${first}**`);
    person.expectFocusWasSeen();
  });

  it('two payouts of one day and one amount have buttons with different names', async () => {
    const account = await paying.createAccount();
    for (const count of [1, 2]) await payOut(account, 5000, count);
    const path = `integrations/${account.connectionId}?tab=payouts`;
    const { page } = await openForKeyboard(dashboard, path, { tenant: account.tenant });
    const payouts = page.getByRole('table', { name: 'Payouts' });
    const buttons = payouts.getByRole('button', {
      name: /^Show items of the payout of 2\d{3}-\d\d-\d\d, \$48\.25 \(.{6}\)$/,
    });
    await buttons.nth(1).waitFor();
    const names = await Promise.all((await buttons.all()).map((button) => button.getAttribute('aria-label')));
    expect(names).to.have.length(2);
    expect(names[0]).to.not.equal(names[1]);
  });
});
