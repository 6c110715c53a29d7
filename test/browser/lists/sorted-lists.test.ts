/** A person sorts a list by its headers. The URL holds the sort, as it holds the filters. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { findViolationsInBothThemes } from '../../support/browser/axe.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { copyBy, runCurl } from '../../support/browser/run-curl.js';
import { invoiceInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';

/** More invoices than one page has. */
const INVOICES = 53;
const PAGE_SIZE = 50;

describe('a list that a person sorts', () => {
  const dashboard = useDashboard();

  const rows = (page: Page, table: string) =>
    page.getByRole('table', { name: table }).locator('tbody').getByRole('link');
  const header = (page: Page, name: string) => page.getByRole('columnheader', { name });

  /** Waits until the table shows these rows first, and returns the names of all its rows. */
  async function waitForRows(page: Page, table: string, first: string): Promise<string[]> {
    await rows(page, table).first().filter({ hasText: first }).waitFor();
    return rows(page, table).allInnerTexts();
  }

  async function postInvoices({ client }: TestTenant, count: number): Promise<void> {
    for (let nth = 1; nth <= count; nth += 1)
      await client.post('/invoices', invoiceInput({ invoice_number: `N-${String(nth).padStart(2, '0')}` }));
  }

  it('a press on Created shows the oldest invoices first, also after a reload, in curl, and in a link', async () => {
    const { page, tenant } = await dashboard.open('');
    await postInvoices(tenant, 3);
    const oldestFirst = ['N-01', 'N-02', 'N-03'];
    await page.getByRole('link', { name: 'Invoices', exact: true }).click();
    expect(await waitForRows(page, 'Invoices', 'N-03')).to.deep.equal([...oldestFirst].reverse());
    expect(await header(page, 'Created').getAttribute('aria-sort')).to.equal('descending');
    expect(await page.locator('th[aria-sort]').count()).to.equal(1);
    await header(page, 'Created').getByRole('button', { name: 'Created' }).click();
    expect(await waitForRows(page, 'Invoices', 'N-01')).to.deep.equal(oldestFirst);
    expect(await header(page, 'Created').getAttribute('aria-sort')).to.equal('ascending');
    expect(new URL(page.url()).search).to.equal('?sort=created_at');
    await page.reload();
    expect(await waitForRows(page, 'Invoices', 'N-01')).to.deep.equal(oldestFirst);
    const command = await copyBy(page, page.getByRole('button', { name: 'Copy curl for this view' }));
    expect(command).to.include('sort=created_at');
    const { body } = await runCurl(command, tenant.client);
    const { items } = (body as { data: { items: { invoice_number: string }[] } }).data;
    expect(items.map(({ invoice_number: number }) => number)).to.deep.equal(oldestFirst);
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
  });

  it('the sort works by keyboard, keeps the focus, leaves the page of the old sort, and Back undoes it', async () => {
    const { page, tenant } = await dashboard.open();
    await postInvoices(tenant, INVOICES);
    await page.goto(`${dashboard.stack.origin}/app/invoices?status=draft`);
    await waitForRows(page, 'Invoices', `N-${INVOICES}`);
    await page.getByRole('button', { name: 'Next' }).click();
    await waitForRows(page, 'Invoices', 'N-03');
    const second = page.url();
    expect(new URL(second).searchParams.has('cursor')).to.equal(true);
    const button = header(page, 'Created').getByRole('button');
    await button.focus();
    await page.keyboard.press('Enter');
    expect(await waitForRows(page, 'Invoices', 'N-01')).to.have.length(PAGE_SIZE);
    expect(new URL(page.url()).search).to.equal('?status=draft&sort=created_at');
    await button.and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    expect(await waitForRows(page, 'Invoices', 'N-51')).to.deep.equal(['N-51', 'N-52', 'N-53']);
    await page.goBack();
    await waitForRows(page, 'Invoices', 'N-01');
    await page.goBack();
    await waitForRows(page, 'Invoices', 'N-03');
    expect(page.url()).to.equal(second);
    await page.goForward();
    await waitForRows(page, 'Invoices', 'N-01');
    await page.goForward();
    await waitForRows(page, 'Invoices', 'N-51');
    // The first button leads to a page of this sort, not to one of the sort before.
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button').first().click();
    await waitForRows(page, 'Invoices', 'N-01');
    await button.focus();
    await page.keyboard.press('Space');
    await waitForRows(page, 'Invoices', 'N-53');
    expect(new URL(page.url()).search, 'newest first needs no parameter').to.equal('?status=draft');
  });

  it('Previous never leads to a page of the sort before, also after Back', async () => {
    const { page, tenant } = await dashboard.open();
    await postInvoices(tenant, 2 * PAGE_SIZE + 3);
    await page.goto(`${dashboard.stack.origin}/app/invoices`);
    await waitForRows(page, 'Invoices', 'N-103');
    await page.getByRole('button', { name: 'Next' }).click();
    await waitForRows(page, 'Invoices', 'N-53');
    await page.getByRole('button', { name: 'Next' }).click();
    await waitForRows(page, 'Invoices', 'N-03');
    await header(page, 'Created').getByRole('button').click();
    await waitForRows(page, 'Invoices', 'N-01');
    await page.getByRole('button', { name: 'Next' }).click();
    await waitForRows(page, 'Invoices', 'N-51');
    await page.getByRole('button', { name: 'Previous' }).click();
    await waitForRows(page, 'Invoices', 'N-01');
    await page.goBack();
    await waitForRows(page, 'Invoices', 'N-51');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('button').first().click();
    await waitForRows(page, 'Invoices', 'N-01');
  });

  it('a sort stays while a record is open and when filters are cleared, and a link with an unknown sort shows the newest first', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: first } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    const { body: last } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    await page.goto(`${dashboard.stack.origin}/app/work-orders?sort=created_at`);
    await waitForRows(page, 'Work orders', first.job_number);
    await rows(page, 'Work orders').first().click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).to.equal('?sort=created_at');
    await page.getByLabel('Search').fill('nothing has this number');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await waitForRows(page, 'Work orders', first.job_number);
    await page.goto(`${dashboard.stack.origin}/app/work-orders?sort=job_number`);
    await waitForRows(page, 'Work orders', last.job_number);
    expect(await header(page, 'Created').getAttribute('aria-sort')).to.equal('descending');
  });

  it('customers are sorted by name in both directions, and Created leads back to the newest', async () => {
    const { page, tenant } = await dashboard.open();
    for (const company_name of ['Bay Garage', 'alpha Motors', 'Carr Club'])
      await tenant.client.post('/customers', { company_name });
    await page.goto(`${dashboard.stack.origin}/app/customers`);
    await waitForRows(page, 'Customers', 'Carr Club');
    expect(await header(page, 'Name').getAttribute('aria-sort')).to.equal(null);
    await header(page, 'Name').getByRole('button').click();
    const byName = await waitForRows(page, 'Customers', 'alpha Motors');
    expect(byName).to.deep.equal(['alpha Motors', 'Bay Garage', 'Carr Club']);
    expect(await header(page, 'Name').getAttribute('aria-sort')).to.equal('ascending');
    expect(await header(page, 'Created').getAttribute('aria-sort')).to.equal(null);
    await header(page, 'Name').getByRole('button').click();
    expect(await waitForRows(page, 'Customers', 'Carr Club')).to.deep.equal(byName.reverse());
    expect(new URL(page.url()).search).to.equal('?sort=-name');
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
    await header(page, 'Created').getByRole('button').click();
    await page.waitForURL(/customers$/);
    expect(await header(page, 'Created').getAttribute('aria-sort')).to.equal('descending');
  });

  it('invoices are sorted by the due date that they have, and a text says which come last', async () => {
    const { page, tenant } = await dashboard.open();
    for (const [number, day] of [
      ['LATE', '20'],
      ['EARLY', '10'],
      ['NONE', undefined],
    ])
      await tenant.client.post(
        '/invoices',
        invoiceInput({ invoice_number: number, ...(day ? { due_date: `2026-12-${day}T12:00:00Z` } : {}) }),
      );
    await page.goto(`${dashboard.stack.origin}/app/invoices`);
    await waitForRows(page, 'Invoices', 'NONE');
    const note = page.getByText('Invoices that are due by payment terms come last.');
    expect(await note.count()).to.equal(0);
    await header(page, 'Due').getByRole('button').click();
    expect(await waitForRows(page, 'Invoices', 'EARLY')).to.deep.equal(['EARLY', 'LATE', 'NONE']);
    await note.waitFor();
    await header(page, 'Due').getByRole('button').click();
    expect(await waitForRows(page, 'Invoices', 'LATE')).to.deep.equal(['LATE', 'EARLY', 'NONE']);
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
  });
});
