import { expect } from 'chai';
import { chargeDue } from '../../support/billing/paying-customer.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createHandle } from '../../support/use-stack.js';
import { usePayingStack } from '../../support/vendors/paying.js';

describe('saved payment methods in the dashboard', () => {
  const paying = usePayingStack();
  const dashboard = useDashboard(createHandle(() => paying.stack));

  it('a customer saves a card by a set-up link, autopay is set, and the next invoice is charged', async () => {
    const account = await paying.createAccount({ methods: ['card'] });
    const customerId = await account.createCustomer();
    const { page, context } = await dashboard.open(`customers/${customerId}`, { tenant: account.tenant });
    await page.getByRole('tab', { name: 'Payment methods' }).click();
    await page.getByText('Invoices are not charged automatically.').waitFor();
    await page.getByRole('button', { name: 'Set-up link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set-up link' });
    await dialog.getByRole('button', { name: 'Open set-up link' }).click();
    const url = await dialog.getByRole('link', { name: 'Open the page' }).getAttribute('href');
    const customer = await context.newPage();
    await customer.goto(url ?? '');
    await customer.route('**/saved', (route) => route.fulfill({ body: 'back' }));
    await customer.getByRole('button', { name: 'Save a card' }).click();
    await customer.close();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /Visa ending in 4242.*Active.*12\/2030/ }).waitFor();

    await page.getByRole('button', { name: 'Autopay' }).click();
    const autopay = page.getByRole('dialog', { name: 'Autopay' });
    await autopay.getByRole('combobox', { name: 'Charge to' }).click();
    await page.getByRole('option', { name: 'Visa ending in 4242' }).click();
    await autopay.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Invoices are charged automatically when they are sent.').waitFor();

    const invoiceId = await account.createInvoice(4200, customerId);
    await account.client.post(`/invoices/${invoiceId}/send`, {});
    await chargeDue(paying.stack);
    await account.waitForInvoice(invoiceId, 'paid');
    await page.goto(`${dashboard.stack.origin}/app/invoices/${invoiceId}`);
    await page.getByRole('tab', { name: 'Payments' }).click();
    const charges = page.getByRole('table', { name: 'Automatic charges' });
    await charges.getByRole('row', { name: /\$42\.00.*Succeeded/ }).waitFor();
    expect(await charges.getByRole('row').count()).to.equal(2);
  });
});
