import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { eventually } from '../../support/poll.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';

/** Longer than the time between two polls of the page. */
const POLL_MS = 40_000;

describe('the dashboard on a bad network', () => {
  const dashboard = useDashboard();

  it('a payment whose response is lost is recorded once, by the page itself', async () => {
    const { page, tenant } = await dashboard.open('');
    const id = await createInvoiceAfter(tenant.client, ['approve', 'send']);
    let losses = 0;
    await page.route('**/v1/invoices/*/payments', async (route) => {
      if (route.request().method() !== 'POST' || losses > 0) return route.continue();
      losses += 1;
      // The server stores the payment, and its response never arrives.
      await route.fetch();
      return route.abort('connectionreset');
    });
    await page.goto(`${dashboard.stack.origin}/app/invoices/${id}`);
    await page.getByRole('button', { name: 'Record payment' }).click();
    const dialog = page.getByRole('dialog', { name: /Record payment/ });
    await dialog.getByLabel('Amount').fill('40.00');
    await dialog.getByLabel('Method').selectOption('cash');
    await dialog.getByRole('button', { name: 'Record payment' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await tenant.client.get(`/invoices/${id}/payments`);
    expect(losses).to.equal(1);
    expect(body.data.items.map((one: { amount_cents: number }) => one.amount_cents)).to.deep.equal([4000]);
  });

  it('without a network the page says so and keeps what was typed, and stores it once there is one', async () => {
    const { page, context, tenant } = await dashboard.open('customers');
    await page.getByText('Connected').waitFor();
    await page.getByRole('button', { name: 'New customer' }).first().click();
    const form = page.getByRole('dialog', { name: 'New customer' });
    await form.getByLabel('Name').fill('Written in a tunnel');
    await context.setOffline(true);
    await form.getByRole('button', { name: 'Create customer' }).click();
    await form.getByText('The server cannot be reached.').waitFor();
    expect(await form.getByLabel('Name').inputValue()).to.equal('Written in a tunnel');
    await context.setOffline(false);
    await form.getByRole('button', { name: 'Create customer' }).click();
    await page.getByRole('dialog', { name: 'Written in a tunnel' }).waitFor();
    const { body } = await tenant.client.get('/customers?search=tunnel');
    expect(body.data.items).to.have.length(1);
    await page.getByText('Connected').waitFor();
  });

  it('a write that the server has accepted, but not stored yet, shows Saving until it is stored', async () => {
    const { page } = await dashboard.open('customers');
    let isStored = false;
    const operationId = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e';
    // The stack's own worker is too fast for a 202, so the test itself responds with a 202.
    await page.route('**/v1/customers', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const data = { operation_id: operationId, status: 'queued' };
      return route.fulfill({ status: 202, json: { ok: true, data } });
    });
    await page.route('**/v1/operations/*', (route) => {
      const created = { id: operationId, company_name: 'Late' };
      const done = { status: 'succeeded', result: created };
      const created_at = '2026-11-26T12:00:00Z';
      return route.fulfill({
        json: { id: operationId, created_at, ...(isStored ? done : { status: 'queued' }) },
      });
    });
    await page.getByRole('button', { name: 'New customer' }).first().click();
    const form = page.getByRole('dialog', { name: 'New customer' });
    await form.getByLabel('Name').fill('Late');
    await form.getByRole('button', { name: 'Create customer' }).click();
    await form.getByRole('button', { name: 'Saving' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await form.isVisible(), 'the form stays until the result is known').to.equal(true);
    isStored = true;
    await form.waitFor({ state: 'detached' });
  });

  it('if the stream cannot be opened, the page polls, one poll at a time, and says so until the stream opens', async () => {
    const { page, tenant } = await dashboard.open('customers');
    await page.route('**/v1/stream*', (route) => route.abort());
    await page.clock.install();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    await page.getByText('There are no customers yet.').waitFor();
    await page.getByText('Reconnecting').waitFor();
    await tenant.client.post('/customers', { company_name: 'Read by a poll' });
    const row = (name: string) => page.getByRole('link', { name });
    await eventually('a poll shows the customer', async () => {
      await page.clock.fastForward(POLL_MS);
      return (await row('Read by a poll').count()) > 0 && (await page.getByText('Polling').count()) > 0;
    });

    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let reads = 0;
    await page.route('**/v1/customers?*', async (route) => {
      reads += 1;
      await held;
      await route.continue();
    });
    await eventually('a poll has begun', async () => {
      await page.clock.fastForward(POLL_MS);
      return reads > 0;
    });
    await page.clock.fastForward(10 * POLL_MS);
    await page.waitForTimeout(500);
    expect(reads, 'polls without an answer').to.equal(1);
    await tenant.client.post('/customers', { company_name: 'Read by the next poll' });
    answer();
    await eventually('the next poll shows the other customer', async () => {
      await page.clock.fastForward(POLL_MS);
      return (await row('Read by the next poll').count()) > 0;
    });

    await page.unroute('**/v1/stream*');
    await eventually('the stream is open', async () => {
      await page.clock.fastForward(POLL_MS);
      return (await page.getByText('Connected').count()) > 0;
    });
    await tenant.client.post('/customers', { company_name: 'Read after an event' });
    await row('Read after an event').waitFor();
  });
});
