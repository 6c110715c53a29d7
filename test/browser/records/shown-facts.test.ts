/** Facts that people copy or read from a record: balances, totals, commands, runs. */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { copyBy, runCurl } from '../../support/browser/run-curl.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';

describe('facts that the dashboard shows', () => {
  const dashboard = useDashboard();

  it('a customer’s balance is in the list and in the drawer, and follows a payment without a reload', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: customer } = await tenant.client.post('/customers', { company_name: 'Bay Street Garage' });
    const id = await createInvoiceAfter(tenant.client, ['approve', 'send'], {
      customer_id: customer.id,
      line_items: [lineItem({ unit_price_cents: 31_245, total_cents: 31_245 })],
    });
    await page.goto(`${dashboard.stack.origin}/app/customers`);
    const row = page.getByRole('row', { name: /Bay Street Garage/ });
    await row.getByRole('cell', { name: '$312.45' }).waitFor();
    await row.getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Bay Street Garage' });
    await drawer.getByText('Balance').waitFor();
    await drawer.getByText('$312.45').waitFor();
    await page.getByText('Connected').waitFor();
    await tenant.client.post(`/invoices/${id}/payments`, { amount_cents: 30_000, method: 'cash' });
    await drawer.getByText('$12.45').waitFor();
    await row.getByRole('cell', { name: '$12.45' }).waitFor({ state: 'attached' });
  });

  it('the edit form of an invoice totals what is typed by the server, and stores nothing before Save', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: invoice } = await tenant.client.post('/invoices', invoiceInput());
    const stored = async () => (await tenant.client.get(`/invoices/${invoice.id}`)).body;
    await page.goto(`${dashboard.stack.origin}/app/invoices/${invoice.id}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: `Edit ${invoice.invoice_number}` });
    const totals = form.getByRole('group', { name: 'Totals' });
    await totals.getByText('$100.00').last().waitFor();
    await form.getByRole('group', { name: 'Line 1' }).getByLabel('Unit price').fill('80');
    await totals.getByText('$80.00').last().waitFor();
    await form.getByRole('button', { name: 'Add line' }).click();
    const second = form.getByRole('group', { name: 'Line 2' });
    await second.getByLabel('Category').selectOption('mileage');
    await second.getByLabel('Quantity').fill('7.5');
    await second.getByLabel('Unit price').fill('4');
    await second.getByText('Line total $30.00').waitFor();
    await totals.getByText('$110.00').last().waitFor();
    await totals.getByText('Computed by the server.').waitFor();
    expect(await stored(), 'before Save').to.deep.include({
      total_cents: 10_000,
      updated_at: invoice.updated_at,
    });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const { total_cents: total, line_items: lines } = await stored();
    expect([total, lines.length]).to.deep.equal([11_000, 2]);
  });

  it('the curl command of a new agent key lists the tools of its scopes', async () => {
    const { page, tenant } = await dashboard.open('settings?tab=agent-keys');
    await page.getByRole('button', { name: 'Create agent key' }).click();
    const form = page.getByRole('dialog', { name: 'Create agent key' });
    await form.getByLabel('Name').fill('Night desk');
    await form.getByRole('button', { name: 'Create agent key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Agent key Night desk' });
    const json = await copyBy(page, dialog.getByRole('button', { name: 'Copy MCP client JSON' }));
    const command = await copyBy(page, dialog.getByRole('button', { name: 'Copy curl' }));
    const { Authorization: authorization } = JSON.parse(json).mcpServers.tow.headers;
    expect(command).to.include(authorization);
    // The stack's public address is not where it listens.
    const { publicUrl } = dashboard.stack.runtime.config;
    const { status, body } = await runCurl(command.replace(publicUrl, dashboard.stack.origin), tenant.client);
    expect(status, JSON.stringify(body)).to.equal(200);
    const { tools } = (body as { result: { tools: { name: string }[] } }).result;
    const names = tools.map(({ name }) => name);
    expect(names).to.include('list_invoices').and.to.not.include('create_invoice_draft');
  });

  describe('with a receiver', () => {
    let receiver: StrictReceiver;
    before(async () => {
      receiver = await StrictReceiver.start();
    });
    after(() => receiver?.stop());

    it('the copied curl command of an attempt sends the same event with a valid signature once more', async () => {
      const { page, tenant } = await dashboard.open();
      const target = receiver.add();
      const { body: endpoint } = await tenant.client.post('/webhook-endpoints', {
        url: target.url,
        event_types: ['invoice.created'],
      });
      target.secrets = [endpoint.secret];
      await tenant.client.post('/invoices', invoiceInput({ notes: `O'Brien & "Sons" $5` }));
      await target.waitFor(1);
      await page.goto(`${dashboard.stack.origin}/app/webhooks?view=deliveries`);
      await page.getByRole('link', { name: 'invoice.created' }).click();
      const drawer = page.getByRole('dialog', { name: 'Delivery of invoice.created' });
      const attempt = drawer.getByRole('article', { name: 'Attempt 1' });
      await attempt.getByText('HTTP 200').waitFor();
      const button = attempt.getByRole('button', { name: 'Copy as curl' });
      if (!(await button.isVisible())) await attempt.locator('summary').click();
      const command = await copyBy(page, button);
      const { status } = await runCurl(`${command} --output /dev/null`, tenant.client);
      expect(status).to.equal(200);
      const [first, second] = await target.waitFor(2);
      expect(second?.id).to.equal(first?.id);
      expect(second?.event).to.deep.equal(first?.event);
      // The command repeats the timestamp of the attempt too. The receiver must find nothing else.
      const problems = target.problems.filter((text) => !text.endsWith('that of an earlier attempt'));
      expect(problems, 'problems of the receiver, which checks signatures').to.deep.equal([]);
    });
  });
});
