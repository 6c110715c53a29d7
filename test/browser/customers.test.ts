import { expect } from 'chai';
import type { Request } from 'playwright-core';
import { useDashboard } from '../support/browser/dashboard.js';
import { invoiceInput } from '../support/records/samples.js';

describe('the screen Customers', () => {
  const dashboard = useDashboard();

  it('a person creates a customer, and each fault of the server stands beside its field', async () => {
    const { page, tenant } = await dashboard.open('customers');
    await page.getByRole('button', { name: 'New customer' }).first().click();
    const form = page.getByRole('dialog', { name: 'New customer' });
    await form.getByLabel('Name').fill('Bay Street Garage');
    await form.getByLabel('Billing e-mail').fill('not an address');
    await form.getByRole('button', { name: 'Create customer' }).click();
    await form.getByText('billing_email must be a valid email').waitFor();
    expect(await form.getByLabel('Billing e-mail').getAttribute('aria-invalid')).to.equal('true');
    await form.getByLabel('Billing e-mail').fill('ap@bay-street.example');
    await form.getByRole('button', { name: 'Create customer' }).click();
    await page.getByRole('dialog', { name: 'Bay Street Garage' }).waitFor();
    const { body } = await tenant.client.get('/customers?search=Bay');
    expect(body.data.items.map((one: { company_name: string }) => one.company_name)).to.deep.equal([
      'Bay Street Garage',
    ]);
  });

  it('lists ask for the writes of their tab, also after a reload', async () => {
    const { page } = await dashboard.open('customers');
    // This stack has no replica, so the test itself adds the token.
    const token = `v1.${'a'.repeat(16)}.${'b'.repeat(22)}.c`;
    await page.route('**/v1/customers', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const response = await route.fetch();
      const headers = { ...response.headers(), 'x-service-consistency-token': token };
      return route.fulfill({ response, headers });
    });
    const isListWithToken = (request: Request) =>
      request.url().includes('/v1/customers?') && request.headers()['x-service-consistency-token'] === token;
    await page.getByRole('button', { name: 'New customer' }).first().click();
    const form = page.getByRole('dialog', { name: 'New customer' });
    await form.getByLabel('Name').fill('Replica Recovery');
    const listed = page.waitForRequest(isListWithToken);
    await form.getByRole('button', { name: 'Create customer' }).click();
    await listed;
    await page.getByRole('dialog', { name: 'Replica Recovery' }).waitFor();
    await Promise.all([page.waitForRequest(isListWithToken), page.reload()]);
  });

  it('two people who edit one customer lose no edit: the second sees what changed, and by whom', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: customer } = await tenant.client.post('/customers', { company_name: 'Shared Shop' });
    await page.goto(`${dashboard.stack.origin}/app/customers/${customer.id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Shared Shop' });
    await form.getByLabel('Phone').fill('555-0100');
    await tenant.client.patch(`/customers/${customer.id}`, { city: 'Yonkers' });
    // The drawer behind the form shows the new city at once. The form must keep the old version of
    // the record: with the new version, saving would overwrite the city unnoticed.
    await page.getByText('Yonkers').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/city was changed by/).waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const { body } = await tenant.client.get(`/customers/${customer.id}`);
    expect(body).to.include({ city: 'Yonkers', primary_phone: '555-0100' });
  });

  it('the drawer shows balance, invoices and the statement of account, and its link can be shared', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: customer } = await tenant.client.post('/customers', { company_name: 'Paying Club' });
    const { body: invoice } = await tenant.client.post(
      '/invoices',
      invoiceInput({ customer_id: customer.id }),
    );
    await page.goto(`${dashboard.stack.origin}/app/customers/${customer.id}`);
    const drawer = page.getByRole('dialog', { name: 'Paying Club' });
    await drawer.getByRole('tab', { name: 'Invoices' }).click();
    await drawer.getByRole('link', { name: invoice.invoice_number }).waitFor();
    await drawer.getByRole('tab', { name: 'Statement' }).click();
    await drawer.getByText('Closing balance').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).to.equal('/app/customers');
  });

  it('sandbox and live never mix: the switch Environment shows the other account’s customers alone', async () => {
    const { page, tenant } = await dashboard.open('customers');
    await tenant.client.post('/customers', { company_name: 'A live customer' });
    await tenant.sandbox.post('/customers', { company_name: 'A sandbox customer' });
    await page.getByRole('link', { name: 'A live customer' }).waitFor();
    await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Sandbox').click();
    await page.getByRole('link', { name: 'A sandbox customer' }).waitFor();
    expect(await page.getByRole('link', { name: 'A live customer' }).count()).to.equal(0);
    expect(new URL(page.url()).search).to.equal('?env=sandbox');
    await page.reload();
    await page.getByRole('link', { name: 'A sandbox customer' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'A live customer' }).waitFor();
    expect(await page.getByRole('link', { name: 'A sandbox customer' }).count()).to.equal(0);
  });
});
