/** The palette finds pages, actions, and records by number or id, and goes there. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newId } from '../../../shared/platform/ids.js';
import { followPath, useDashboard } from '../../support/browser/dashboard.js';
import { createCanaryRecords } from '../../support/records/canary-records.js';
import { createUser } from '../../support/records/sign-in.js';
import { storeLastingSuggestion } from '../../support/records/suggestions.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { TEST_VENDORS } from '../../support/vendors/texting.js';
import { makeWebhookRecords } from '../../support/webhooks/webhook-rows.js';

const TEXT = 'Riverside Motors 518';

describe('the palette', function () {
  this.timeout(120_000);
  const stack = useStack({ vendors: TEST_VENDORS });
  const dashboard = useDashboard(stack);

  async function openPalette(page: Page, text: string): Promise<void> {
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByRole('textbox', { name: 'Find' }).fill(text);
  }

  /** Finds the entry by a text, and chooses it. */
  async function choose(page: Page, text: string, entry: string | RegExp): Promise<void> {
    await openPalette(page, text);
    await page.getByRole('dialog').getByRole('button', { name: entry }).click();
    await page.getByRole('textbox', { name: 'Find' }).waitFor({ state: 'detached' });
  }

  const readPlace = (page: Page) => {
    const { pathname, search } = new URL(page.url());
    return decodeURIComponent(pathname.replace('/app/', '') + search);
  };

  it('finds a page and an action by their names, and goes there', async () => {
    const { page } = await dashboard.open('invoices?status=overdue');
    await choose(page, 'webh', 'Webhooks');
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    expect(readPlace(page)).to.equal('webhooks');
    await choose(page, 'new inv', 'New invoice');
    await page.getByRole('dialog', { name: 'New invoice' }).getByLabel('Number').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await choose(page, 'overdue', 'Overdue invoices');
    await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
    expect(readPlace(page)).to.equal('invoices?status=overdue');
    await choose(page, 'claims', 'Claims on motor clubs');
    await page.getByRole('tab', { name: 'Claims', selected: true }).waitFor();
    expect(readPlace(page)).to.equal('invoices?view=claims');
    await choose(page, 'keys', 'Show the keys');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });

  it('finds an invoice by its number and a work order by its job number, and says if nothing is found', async () => {
    const { page, tenant } = await dashboard.open('');
    const { client } = tenant;
    const invoice = { customer_name: 'Bay', invoice_number: 'BAY-4711', line_items: [] };
    const { body: billed } = await client.post('/invoices', invoice);
    const { body: order } = await client.post('/work-orders', { service_type: 'tow' });
    await client.post('/work-orders', { service_type: 'tow' });
    await choose(page, 'BAY-4711', /^Invoice BAY-4711/);
    await page.getByRole('dialog', { name: 'BAY-4711' }).waitFor();
    expect(readPlace(page)).to.equal(`invoices/${billed.id}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await choose(page, order.job_number, new RegExp(`^Work order ${order.job_number}\\b`));
    await page.getByRole('dialog', { name: `Work order ${order.job_number}` }).waitFor();
    expect(readPlace(page)).to.equal(`work-orders/${order.id}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await openPalette(page, newId());
    await page.getByText('Nothing found. Try a number, a name or an id.').waitFor();
    await page.route('**/v1/customers/*', (route) => route.abort());
    await page.getByRole('textbox', { name: 'Find' }).fill(newId());
    await page.getByText('The search failed.').waitFor();
  });

  it('finds each kind of record by its id, and opens it', async () => {
    const { page, tenant } = await dashboard.open();
    const ids = await createRecords(tenant);
    await page.goto(`${stack.origin}/app/`);
    const places: Record<string, readonly [entry: RegExp, place: string]> = {
      invoice: [/^Invoice /, `invoices/${ids.invoice}`],
      work_order: [/^Work order /, `work-orders/${ids.work_order}`],
      customer: [new RegExp(TEXT), `customers/${ids.customer}`],
      payment: [/^Invoice of the payment/, `invoices/${ids.paid_invoice}?tab=payments`],
      claim: [/^Invoice of the claim on /, `invoices/${ids.paid_invoice}?tab=claims`],
      remittance: [/^Remittance /, `remittances/${ids.remittance}`],
      approval: [/^Approval/, `approvals/${ids.approval}`],
      suggestion: [/^Suggestion: /, `suggestions/${ids.suggestion}`],
      webhook_endpoint: [/^Endpoint http/, `webhooks/${ids.webhook_endpoint}`],
      webhook_delivery: [/^Delivery of /, `webhooks?view=deliveries&delivery=${ids.webhook_delivery}`],
      event: [/^Deliveries of the event /, `webhooks?view=deliveries&event_id=${ids.event}`],
      export: [/^Export of /, `exports/${ids.export}`],
      connection: [new RegExp(`^Connection ${TEXT}`), `integrations/${ids.connection}`],
      audit_entry: [/^Audit entry: /, `audit-log/${ids.audit_entry}`],
      request: [/^Audit entries of the request/, `audit-log?request_id=${ids.request}`],
    };
    for (const [kind, [entry, place]] of Object.entries(places)) {
      expect(ids[kind], `the id of a ${kind}`).to.be.a('string');
      await followPath(page, '');
      await choose(page, ids[kind] as string, entry);
      expect(readPlace(page), kind).to.equal(place);
      const shown = place.includes('?') ? page.getByRole('table').first() : page.getByRole('dialog');
      await shown.waitFor();
    }
  });

  it('a viewer, who may not read the audit log, finds an invoice by its id', async () => {
    const tenant = await stack.createTenant('Hudson Towing');
    const user = await createUser(stack, tenant.id, { role: 'viewer' });
    const invoice = { customer_name: 'Bay', invoice_number: 'BAY-4712', line_items: [] };
    const { body: billed } = await tenant.client.post('/invoices', invoice);
    const { page } = await dashboard.open('', { tenant, user });
    await choose(page, billed.id, /^Invoice BAY-4712/);
    await page.getByRole('dialog', { name: 'BAY-4712' }).waitFor();
  });

  /** Creates a record of each kind. Returns their ids. */
  async function createRecords(tenant: TestTenant): Promise<Record<string, string>> {
    const ids = await createCanaryRecords(tenant.client, { canary: TEXT, isLive: true });
    const invoice = ids.invoice as string;
    const suggestion = { entity_id: invoice, invoice_id: invoice };
    ids.suggestion = await storeLastingSuggestion(stack, tenant.id, suggestion);
    ids.event = (await tenant.client.get('/events?limit=1')).body.data.items[0].id;
    const rows = { eventId: ids.event as string, canary: TEXT };
    Object.assign(ids, await makeWebhookRecords({ stack, tenantId: tenant.id }, rows));
    const [entry] = (await tenant.client.get('/audit-log?limit=1')).body.data.items;
    return { ...ids, audit_entry: entry.id, request: entry.request_id };
  }
});
