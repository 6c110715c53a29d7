import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { eventually } from '../../support/poll.js';
import { createHandle } from '../../support/use-stack.js';
import { settlePayout, startPayout } from '../../support/vendors/doubles/stripe/payouts.js';
import { presentCard } from '../../support/vendors/doubles/stripe/readers.js';
import { PayingAccount, usePayingStack } from '../../support/vendors/paying.js';
import { compareNow, listDifferences } from '../../support/vendors/reconciling.js';
import { TerminalAccount } from '../../support/vendors/terminal-account.js';

describe('online payments in the dashboard', () => {
  const paying = usePayingStack();
  const dashboard = useDashboard(createHandle(() => paying.stack));

  it('Stripe is connected, a pay link is paid on the hosted page, and half is refunded', async () => {
    const account = new PayingAccount(paying.stack, paying.double, await paying.stack.createTenant());
    const { tenant, vendor } = account;
    const invoiceId = await account.createInvoice(12_500);
    const { page, context } = await dashboard.open('integrations', { tenant });
    await page.getByRole('button', { name: 'Connect Stripe' }).click();
    const form = page.getByRole('dialog', { name: 'Connect Stripe' });
    const secret = `whsec_${randomUUID()}`;
    await form.getByRole('checkbox', { name: 'Enter a key instead' }).check();
    await form.getByLabel('Secret key').fill(vendor.key);
    await form.getByLabel('Webhook secret').fill(secret);
    await form.getByRole('button', { name: 'Connect' }).click();
    const drawer = page.getByRole('dialog', { name: 'billing@hudson-towing.example' });
    await drawer.getByText('Active').waitFor();
    const { body } = await tenant.client.get('/connections');
    const [connection] = body.data.items;
    vendor.webhook = { url: `${paying.stack.origin}${new URL(connection.webhook_url).pathname}`, secret };

    await page.goto(`${dashboard.stack.origin}/app/invoices/${invoiceId}`);
    await page.getByRole('button', { name: 'Pay link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pay link' });
    await dialog.getByRole('button', { name: 'Open pay link' }).click();
    const link = dialog.getByRole('link', { name: 'Open the payment page' });
    const url = (await link.getAttribute('href')) ?? '';
    const customer = await context.newPage();
    await customer.goto(url);
    await customer.getByRole('heading', { name: 'Pay $125.00' }).waitFor();
    // After the payment, the browser opens the product's public address, which this test does not
    // serve.
    await customer.route('**/paid', (route) => route.fulfill({ body: 'back' }));
    await customer.getByRole('button', { name: 'Pay by card' }).click();
    await customer.close();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').getByText('Paid', { exact: true }).first().waitFor();

    await page.getByRole('tab', { name: 'Payments' }).click();
    await page.getByRole('button', { name: 'Refund' }).click();
    const refund = page.getByRole('dialog', { name: 'Refund' });
    await refund.getByLabel('Amount').fill('62.50');
    await refund.getByLabel('Reason').fill('Half was waived');
    await refund.getByRole('button', { name: 'Refund' }).click();
    await page.getByText('Partially paid').first().waitFor();
    expect((await account.readInvoice(invoiceId)).paid_cents).to.equal(6250);
    expect(await page.content()).to.not.include(vendor.key);
  });

  it('a card is taken on a reader: first it is cancelled, then declined, then paid', async () => {
    const terminal = await TerminalAccount.open(paying);
    const { account, device } = terminal;
    const id = await account.createInvoice(4500);
    const { page } = await dashboard.open(`invoices/${id}`, { tenant: account.tenant });
    await page.getByRole('button', { name: 'Record payment' }).click();
    const form = page.getByRole('dialog', { name: 'Record payment' });
    await form.getByLabel('Method').selectOption('Card reader');
    await form.getByRole('button', { name: 'Continue' }).click();
    const dialog = page.getByRole('dialog', { name: 'Card reader' });
    const ask = async () => {
      await dialog.getByRole('button', { name: 'Ask for the card' }).click();
      await dialog.getByText('Waiting for the card: $45.00').waitFor();
      await terminal.waitUntilShown();
    };
    await ask();
    await dialog.getByRole('button', { name: 'Cancel payment' }).click();
    await dialog.getByText('A person cancelled it.').waitFor();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await ask();
    presentCard(account.vendor, device, 'insufficient_funds');
    await dialog.getByText('The payment failed: insufficient_funds.').waitFor();
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await ask();
    presentCard(account.vendor, device);
    await dialog.getByText('$45.00 was paid by card.').waitFor();
    await dialog.locator('form').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').getByText('Paid', { exact: true }).first().waitFor();
    expect((await account.readInvoice(id)).paid_cents).to.equal(4500);
  });

  it('a disputed payment shows its deadline, and evidence is sent from the invoice', async () => {
    const account = await paying.createAccount();
    const id = await account.createInvoice(8000);
    const { url } = await account.openPayLink(id);
    const intent = paying.double.pay(url);
    await account.waitForInvoice(id, 'paid');
    const made = paying.double.dispute(intent);
    await account.waitForInvoice(id, 'disputed');
    const { page } = await dashboard.open(`invoices/${id}?tab=payments`, { tenant: account.tenant });
    const dueBy = Reflect.get(Object(made.evidence_details), 'due_by') * 1000;
    await page.getByRole('columnheader', { name: 'Evidence until' }).waitFor();
    const deadline = page.locator(`time[datetime="${new Date(dueBy).toISOString()}"]`);
    await deadline.waitFor();
    expect(await deadline.textContent()).to.match(/^in [67] days$/);
    await page.getByRole('button', { name: 'Send evidence' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send evidence' });
    await dialog.getByLabel('What you add').fill('The owner signed at the gate.');
    await dialog.getByRole('button', { name: 'Send evidence' }).click();
    await page.getByText('Evidence sent').waitFor();
    await eventually('the evidence is at Stripe', () =>
      /signed at the gate/.test(Object(made.evidence).uncategorized_text),
    );
  });

  it('a payout shows its fees, and its items lead to their invoices', async () => {
    const account = await paying.createAccount();
    const id = await account.createInvoice(8000);
    const { url } = await account.openPayLink(id);
    paying.double.pay(url);
    await account.waitForInvoice(id, 'paid');
    const payout = startPayout(account.vendor);
    settlePayout(account.vendor, payout);
    await eventually('its items are read', async () => {
      const { body } = await account.client.get('/payouts');
      return body.data.items[0]?.items_status === 'complete';
    });
    const path = `integrations/${account.connectionId}?tab=payouts`;
    const { page } = await dashboard.open(path, { tenant: account.tenant });
    const payouts = page.getByRole('table', { name: 'Payouts' });
    await payouts.getByText('$77.38').waitFor();
    await payouts.getByText('$2.62').waitFor();
    await payouts.getByRole('button', { name: 'Show items' }).click();
    const items = page.getByRole('table', { name: 'Items of the payout' });
    await items.getByRole('link', { name: 'Open invoice' }).click();
    await page.waitForURL(`**/invoices/${id}**`);
  });

  it('a difference shows both sides, and is compared again', async () => {
    const account = await paying.createAccount();
    const id = await account.createInvoice(8000);
    const { url } = await account.openPayLink(id);
    const intent = paying.double.pay(url);
    await account.waitForInvoice(id, 'paid');
    intent.amount_received = 7000;
    await compareNow(account);
    const path = `integrations/${account.connectionId}?tab=issues`;
    const { page } = await dashboard.open(path, { tenant: account.tenant });
    await page.getByRole('button', { name: 'Resolve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resolve: Differs from the vendor' });
    await dialog.getByText('$70.00', { exact: true }).waitFor();
    intent.amount_received = 8000;
    await dialog.getByLabel('Compare again').check();
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    await eventually('nothing differs', async () => (await listDifferences(account)).length === 0);
  });
});
