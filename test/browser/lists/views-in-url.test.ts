/** A view is its URL: it stays after a reload, and its curl command returns the same records. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useDashboard } from '../../support/browser/dashboard.js';
import { copyBy, runCurl } from '../../support/browser/run-curl.js';
import type { Json, TestClient } from '../../support/client.js';
import { createWorkOrderAfter } from '../../support/records/lifecycle-records.js';
import { invoiceInput } from '../../support/records/samples.js';
import { signIn } from '../../support/records/sign-in.js';

/** More customers than one page has. */
const CUSTOMERS = 53;
const PAGE_SIZE = 50;

describe('a view of a list', () => {
  const dashboard = useDashboard();

  const rows = (page: Page, table: string) =>
    page.getByRole('table', { name: table }).locator('tbody').getByRole('link');

  /** Returns the ids of the records that the list shows, in their sequence. */
  async function readIds(page: Page, table: string): Promise<string[]> {
    const links = await rows(page, table).all();
    const hrefs = await Promise.all(links.map((link) => link.getAttribute('href')));
    return hrefs.map((href) => /\/([0-9a-f-]{36})(\?|$)/.exec(href ?? '')?.[1] ?? `no id in ${href}`);
  }

  /** Copies the curl command of the view, runs it, and returns the ids in the response. */
  async function readIdsByCurl(page: Page, client: TestClient): Promise<string[]> {
    const command = await copyBy(page, page.getByRole('button', { name: 'Copy curl for this view' }));
    expect(command, 'no key is copied').to.include('Bearer $TOW_API_KEY');
    const { status, body } = await runCurl(command, client);
    expect(status, JSON.stringify(body)).to.equal(200);
    return (body as { data: { items: { id: string }[] } }).data.items.map(({ id }) => id);
  }

  it('a range and its field stay in the URL after a reload, and curl returns the same invoices', async () => {
    const { page, tenant } = await dashboard.open('');
    const numbers = ['BAY-1', 'BAY-2', 'BAY-3'];
    for (const [nth, day] of ['2026-10-05', '2026-11-05', '2026-11-20'].entries())
      await tenant.client.post(
        '/invoices',
        invoiceInput({ invoice_number: numbers[nth], service_date: `${day}T12:00:00Z` }),
      );
    await page.getByRole('link', { name: 'Invoices', exact: true }).click();
    await rows(page, 'Invoices').nth(2).waitFor();
    await page.getByRole('combobox', { name: 'Dates of' }).click();
    await page.getByRole('option', { name: 'Service' }).click();
    await page.getByLabel('From').fill('2026-11-01');
    await page.getByLabel('To', { exact: true }).fill('2026-11-30');
    await rows(page, 'Invoices').nth(2).waitFor({ state: 'detached' });
    const shown = await readIds(page, 'Invoices');
    expect(await rows(page, 'Invoices').allInnerTexts()).to.deep.equal(['BAY-3', 'BAY-2']);
    const asked = Object.fromEntries(new URL(page.url()).searchParams);
    expect(asked).to.deep.equal({ since: '2026-11-01', until: '2026-11-30', date_field: 'service_date' });
    await page.reload();
    await rows(page, 'Invoices').nth(1).waitFor();
    expect(await page.getByLabel('From').inputValue()).to.equal('2026-11-01');
    expect(await page.getByLabel('To', { exact: true }).inputValue()).to.equal('2026-11-30');
    expect(await page.getByRole('combobox', { name: 'Dates of' }).inputValue()).to.equal('Service');
    expect(await readIds(page, 'Invoices')).to.deep.equal(shown);
    expect(await readIdsByCurl(page, tenant.client)).to.deep.equal(shown);
  });

  it('curl returns the records of a search with quotes and spaces, and of the open tab', async () => {
    const { page, tenant, user } = await dashboard.open();
    const name = `O'Brien & "Sons" $5`;
    for (const company_name of ['Bay Street Garage', name])
      await tenant.client.post('/customers', { company_name });
    await page.goto(`${dashboard.stack.origin}/app/customers?${new URLSearchParams({ search: name })}`);
    await rows(page, 'Customers').filter({ hasText: "O'Brien" }).waitFor();
    const shown = await readIds(page, 'Customers');
    expect(shown).to.have.length(1);
    expect(await readIdsByCurl(page, tenant.client)).to.deep.equal(shown);
    const { body: invoice } = await tenant.client.post('/invoices', invoiceInput());
    const proposal = { kind: 'invoice_approval', invoice_id: invoice.id, justification: 'As agreed.' };
    await tenant.client.post('/approvals', proposal);
    const { body: other } = await tenant.client.post('/invoices', invoiceInput());
    const { body: decided } = await tenant.client.post('/approvals', { ...proposal, invoice_id: other.id });
    // Whoever asks for an approval may not decide it.
    const person = await signIn(dashboard.stack, user);
    await person.post(`/approvals/${decided.id}/reject`, { reason: 'The amount is wrong.' });
    await page.goto(`${dashboard.stack.origin}/app/approvals`);
    await rows(page, 'Approvals').first().waitFor();
    const pending = await readIds(page, 'Approvals');
    expect(pending).to.have.length(1);
    expect(pending, 'only the waiting').to.not.include(decided.id);
    expect(await readIdsByCurl(page, tenant.client)).to.deep.equal(pending);
  });

  it('curl of the second page returns the second page', async () => {
    const { page, tenant } = await dashboard.open();
    const names = Array.from({ length: CUSTOMERS }, (_, nth) => `Customer ${nth}`);
    await Promise.all(names.map((company_name) => tenant.client.post('/customers', { company_name })));
    await page.goto(`${dashboard.stack.origin}/app/customers`);
    await rows(page, 'Customers')
      .nth(PAGE_SIZE - 1)
      .waitFor();
    const first = await readIds(page, 'Customers');
    await page.getByRole('button', { name: 'Next' }).click();
    await rows(page, 'Customers')
      .nth(PAGE_SIZE - 1)
      .waitFor({ state: 'detached' });
    await page.reload();
    await rows(page, 'Customers').first().waitFor();
    const second = await readIds(page, 'Customers');
    expect(second).to.have.length(CUSTOMERS - PAGE_SIZE);
    expect(first).to.not.include.members(second);
    expect(await readIdsByCurl(page, tenant.client)).to.deep.equal(second);
  });

  it('the period of a statement and the open tab are in the URL, and end with the drawer', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: customer } = await tenant.client.post('/customers', { company_name: 'Paying Club' });
    await page.goto(`${dashboard.stack.origin}/app/customers?search=Paying`);
    await page.getByRole('link', { name: 'Paying Club' }).click();
    const drawer = page.getByRole('dialog', { name: 'Paying Club' });
    await drawer.getByRole('tab', { name: 'Statement' }).click();
    const asked: URLSearchParams[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname.endsWith('/statement')) asked.push(url.searchParams);
    });
    await drawer.getByLabel('From').fill('2026-10-01');
    await drawer.getByLabel('To').fill('2026-10-31');
    const search = 'search=Paying&tab=statement&from=2026-10-01&to=2026-10-31';
    await page.waitForURL(`**/customers/${customer.id}?${search}`);
    await page.reload();
    await drawer.getByText('Closing balance').waitFor();
    await drawer.getByRole('tab', { name: 'Statement', selected: true }).waitFor();
    expect(await drawer.getByLabel('From').inputValue()).to.equal('2026-10-01');
    expect(await drawer.getByLabel('To').inputValue()).to.equal('2026-10-31');
    expect(asked.at(-1)?.get('since'), 'the period that is read').to.match(/^2026-(09-30|10-01)T/);
    await drawer.getByLabel('To').fill('');
    await page.waitForURL(/to=open/);
    await drawer.getByText('Closing balance').waitFor();
    expect(await drawer.getByLabel('To').inputValue()).to.equal('');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search, 'the filter of the list stays').to.equal('?search=Paying');
  });

  it('a changed filter keeps the old rows, marked as busy, until the new rows have arrived', async () => {
    const { page, tenant } = await dashboard.open();
    for (const company_name of ['Bay Street Garage', 'Riverside Motors'])
      await tenant.client.post('/customers', { company_name });
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      void page.route('**/v1/customers?*search=*', async (route) => {
        resolve();
        await held;
        await route.continue();
      });
    });
    await page.goto(`${dashboard.stack.origin}/app/customers`);
    const table = page.getByRole('table', { name: 'Customers' });
    await rows(page, 'Customers').nth(1).waitFor();
    expect(await table.getAttribute('aria-busy')).to.equal('false');
    await page.getByLabel('Search').fill('Riverside');
    await asked;
    await page.getByRole('table', { name: 'Customers' }).and(page.locator('[aria-busy="true"]')).waitFor();
    expect((await rows(page, 'Customers').allInnerTexts()).sort()).to.deep.equal([
      'Bay Street Garage',
      'Riverside Motors',
    ]);
    answer();
    await rows(page, 'Customers').nth(1).waitFor({ state: 'detached' });
    expect(await table.getAttribute('aria-busy')).to.equal('false');
    expect(await rows(page, 'Customers').allInnerTexts()).to.deep.equal(['Riverside Motors']);
  });

  it('the curl commands of the board return the work orders that it shows', async () => {
    const { page, tenant } = await dashboard.open();
    for (const actions of [[], ['assign'], ['assign', 'start'], ['assign', 'start', 'complete']])
      await createWorkOrderAfter(tenant.client, actions);
    const cancelled = await createWorkOrderAfter(tenant.client, []);
    await tenant.client.post(`/work-orders/${cancelled}/cancel`, { reason: 'customer' });
    await page.goto(`${dashboard.stack.origin}/app/dispatch`);
    const cards = page.locator('[data-record]');
    await cards.nth(3).waitFor();
    const shown = await cards.evaluateAll((all) => all.map((card) => Object(card).dataset.record));
    const copied = await copyBy(page, page.getByRole('button', { name: 'Copy curl for this view' }));
    const commands = copied.split(/\n(?=curl )/);
    const [board, completed] = await Promise.all(
      commands.map(async (command) => {
        const { status, body } = await runCurl(command, tenant.client);
        expect(status, JSON.stringify(body)).to.equal(200);
        return body as { active_jobs: Json[]; unassigned_work_orders: Json[]; data: { items: Json[] } };
      }),
    );
    const found = [
      ...(board?.unassigned_work_orders ?? []),
      ...(board?.active_jobs ?? []),
      ...(completed?.data.items ?? []),
    ];
    expect(shown).to.have.length(4);
    expect(found.map(({ id }) => id)).to.have.members(shown);
  });
});
