import { expect } from 'chai';
import { broadcastMovedTrucks } from '../../shared/events/recorded-broadcast.js';
import { useDashboard } from '../support/browser/dashboard.js';
import { eventually } from '../support/poll.js';
import { createInvoiceAfter } from '../support/records/lifecycle-records.js';
import { invoiceInput, lineItem } from '../support/records/samples.js';
import { insertAttempt, insertDeliveries, insertEndpoint } from '../support/webhooks/webhook-rows.js';

describe('the screen Overview', () => {
  const dashboard = useDashboard();

  it('the first steps show the next step with its link and curl, and disappear once all are done', async () => {
    const { page, tenant } = await dashboard.open('');
    const { stack } = dashboard;
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('1 of 9 done').waitFor();
    await page.getByText('Connected').waitFor();
    await steps.getByText('/v1/me').waitFor();
    await steps.getByRole('link', { name: 'Open API keys' }).click();
    await page.getByRole('tab', { name: 'API keys', selected: true }).waitFor();
    await page.goBack();
    await steps.getByText('Add a truck').click();
    const trucks = steps.getByRole('link', { name: 'Open Trucks' });
    expect(await trucks.getAttribute('href')).to.match(/settings\?tab=trucks$/);
    await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    await steps.getByRole('listitem').filter({ hasText: 'Add a truck' }).getByText('Done').waitFor();
    await steps.getByText('Create a work order').click();
    await steps.getByRole('link', { name: 'Open Work orders' }).waitFor();
    await tenant.client.post('/work-orders', { service_type: 'tow' });
    const workOrder = steps.getByRole('listitem').filter({ hasText: 'Create a work order' });
    await workOrder.getByText('Done').waitFor();
    // No export completes here, so no worker overwrites the health of this endpoint.
    const endpoint = await insertEndpoint(
      { stack, tenantId: tenant.id },
      { eventTypes: ['export.completed'] },
    );
    await stack.rows(
      tenant.id,
      'update webhook_lanes set last_success_at = now() where tenant_id = $1 and endpoint_id = $2',
      [tenant.id, endpoint],
    );
    await tenant.client.post('/agent-keys', { name: 'Agent', scopes: ['read_invoices'] });
    await stack.rows(tenant.id, 'update api_keys set last_used_at = now() where tenant_id = $1', [tenant.id]);
    const { body: invoice } = await tenant.client.post(
      '/invoices',
      invoiceInput({ billing_email: 'a@example.com' }),
    );
    for (const action of ['approve', 'send'])
      await tenant.client.post(`/invoices/${invoice.id}/${action}`, {});
    await tenant.client.post(`/invoices/${invoice.id}/payments`, { amount_cents: 100, method: 'cash' });
    await steps.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('a moved truck makes the board be read again, but not the overview', async () => {
    const { page, tenant } = await dashboard.open('');
    await page.getByText('Connected').waitFor();
    // The start of the stream makes the page read once more.
    await page.waitForTimeout(2500);
    const reads: string[] = [];
    page.on('request', (request) => reads.push(new URL(request.url()).pathname));
    const { bus } = dashboard.stack.runtime;
    await broadcastMovedTrucks(bus, tenant.id);
    await page.waitForTimeout(2500);
    expect(reads).to.deep.equal([]);
    await page.getByRole('link', { name: 'Dispatch', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Dispatch' }).waitFor();
    const countReads = () => reads.filter((path) => path === '/v1/dispatch-board').length;
    await eventually('the board is read', () => countReads() > 0);
    await page.waitForTimeout(1500);
    const before = countReads();
    await broadcastMovedTrucks(bus, tenant.id);
    await eventually('the board is read again', () => countReads() > before);
  });

  it('each key figure leads to the list that it counts', async () => {
    const { page, tenant } = await dashboard.open('');
    await tenant.client.post('/work-orders', { service_type: 'tow' });
    const figures = page.getByRole('navigation', { name: 'Key figures' });
    await figures.getByRole('link', { name: /^Unassigned\s*1/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Work orders' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?status=pending');
    await page.goBack();
    await figures.getByRole('link', { name: /^Overdue\s*\$0\.00/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?status=overdue');
  });

  it('charts have a text and a table with the same numbers, and a failure leads to its delivery', async () => {
    const { page, tenant } = await dashboard.open('', { colorScheme: 'dark' });
    const target = { stack: dashboard.stack, tenantId: tenant.id };
    await page.getByText('No webhook was delivered in the last 24 hours.').waitFor();
    const endpointId = await insertEndpoint(target);
    const [deliveryId = ''] = await insertDeliveries(target, [
      { endpoint_id: endpointId, status: 'exhausted', last_error: 'timeout' },
      ...Array.from({ length: 3 }, () => ({ endpoint_id: endpointId, status: 'succeeded' })),
    ]);
    await insertAttempt(target, { deliveryId, endpointId, attempt: 1, total_ms: 4321 });
    await page.reload();
    const image = page.getByRole('img', { name: /^Deliveries by hour.* 3 succeeded and 1 failed\.$/ });
    await image.locator('canvas').waitFor();
    await page.getByText('75 %').waitFor();
    await page.getByText('Numbers of Latency of deliveries').click();
    const numbers = page.getByRole('table', { name: 'Numbers of Latency of deliveries' });
    await numbers.getByText('4,321 ms').first().waitFor();
    expect(await numbers.getByRole('row').count()).to.equal(25);
    await page.getByRole('link', { name: 'invoice.created' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    const search = new URL(page.url()).searchParams;
    expect([search.get('view'), search.get('delivery')]).to.deep.equal(['deliveries', deliveryId]);
    await page.getByRole('dialog').waitFor();
  });

  it('the charts of money and of work orders name their sums, and have tables with the same numbers', async () => {
    const { page, tenant } = await dashboard.open('');
    await page.getByText('No customer owes money.').waitFor();
    for (const [days, cents] of [
      [40, 20_000],
      [-20, 5_000],
    ] as const) {
      const due = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
      await createInvoiceAfter(tenant.client, ['approve', 'send'], {
        due_date: `${due}T12:00:00Z`,
        line_items: [lineItem({ unit_price_cents: cents, total_cents: cents })],
      });
    }
    for (let nth = 0; nth < 2; nth += 1) await tenant.client.post('/work-orders', { service_type: 'tow' });
    await page.reload();
    const summaries = {
      'Money by age': 'Customers owe $250.00, of which $200.00 is late.',
      'Work orders by hour': 'In the last 24 hours 2 work orders were created.',
    };
    for (const [name, summary] of Object.entries(summaries)) {
      await page
        .getByRole('img', { name: `${name}. ${summary}` })
        .locator('canvas')
        .waitFor();
      await page.getByText(`Numbers of ${name}`).click();
    }
    const read = async (name: string) => {
      const rows = page.getByRole('table', { name: `Numbers of ${name}` }).locator('tbody tr');
      await rows.first().waitFor();
      return (await rows.allInnerTexts()).map((text) => text.split(/\s*\t\s*/));
    };
    expect(await read('Money by age')).to.deep.equal([
      ['Not due', '$50.00'],
      ['1–30', '$0.00'],
      ['31–60', '$200.00'],
      ['61–90', '$0.00'],
      ['Over 90', '$0.00'],
    ]);
    const hours = await read('Work orders by hour');
    expect(hours).to.have.length(24);
    expect(hours.reduce((sum, [, count]) => sum + Number(count), 0)).to.equal(2);
  });
});
