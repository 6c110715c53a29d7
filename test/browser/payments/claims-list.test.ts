/** The view Claims of the screen Invoices: the claims of all invoices. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { findViolationsInBothThemes } from '../../support/browser/axe.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { copyBy, runCurl } from '../../support/browser/run-curl.js';
import type { TestClient } from '../../support/client.js';
import { createClaimAfter } from '../../support/records/lifecycle-records.js';
import { invoiceInput } from '../../support/records/samples.js';
import { createUser } from '../../support/records/sign-in.js';

/** More claims than one page has. */
const CLAIMS = 52;
const PAGE_SIZE = 50;

describe('the list of all claims', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  const table = (page: Page) => page.getByRole('table', { name: 'Claims', exact: true });
  const rows = (page: Page) => table(page).locator('tbody').getByRole('link');

  /** Creates a claim on an invoice with this number, then takes these actions. */
  const createClaim = (
    client: TestClient,
    number: string,
    actions: readonly string[] = [],
    claim: Record<string, unknown> = {},
    invoice: Record<string, unknown> = {},
  ) => createClaimAfter(client, actions, { ...claim, invoice: { invoice_number: number, ...invoice } });

  it('shows each claim with its invoice, club, customer, PO, denial and amounts, and opens the tab Claims over the list', async () => {
    const { page, tenant } = await dashboard.open('');
    const { body: customer } = await tenant.client.post('/customers', { company_name: 'Bay Garage' });
    await createClaim(tenant.client, 'BAY-1', [], { po_number: 'PO-7' }, { customer_id: customer.id });
    const denied = await createClaim(tenant.client, 'BAY-2', ['submit', 'outcome:denied'], {
      club: 'Riverside Auto Club',
    });
    await page.goto(`${dashboard.stack.origin}/app/invoices`);
    await page.getByRole('tab', { name: 'Claims' }).click();
    await page.getByRole('heading', { level: 1, name: 'Invoices', exact: true }).waitFor();
    await table(page)
      .getByRole('row', {
        name: /^BAY-1 Interstate Motor Club Queued Bay Garage PO-7 Submit by in .+ Not yet \$100\.00 \$0\.00$/,
      })
      .waitFor();
    await table(page)
      .getByRole('row', {
        name: /^BAY-2 Riverside Auto Club Denied The club does not cover this service – – Bill again by in /,
      })
      .waitFor();
    expect(await rows(page).allInnerTexts(), 'newest first').to.deep.equal(['BAY-2', 'BAY-1']);
    await rows(page).first().click();
    const drawer = page.getByRole('dialog', { name: 'BAY-2', exact: true });
    await drawer.getByRole('tab', { name: 'Claims', selected: true }).waitFor();
    await drawer.getByRole('region', { name: 'Claim on Riverside Auto Club' }).waitFor();
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).to.equal(`/app/invoices/${denied.invoice_id}?view=claims&tab=claims`);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search, 'the view stays').to.equal('?view=claims');
    await table(page).getByRole('cell', { name: 'Riverside Auto Club' }).click();
    await drawer.getByRole('tab', { name: 'Claims', selected: true }).waitFor();
  });

  it('the status and a search for a club or PO are in the URL after a reload, and curl returns the same claims', async () => {
    const { page, tenant } = await dashboard.open('');
    await createClaim(tenant.client, 'BAY-1', ['submit'], { po_number: 'PO-71' });
    await createClaim(tenant.client, 'BAY-2', ['submit'], { po_number: 'PO-72' });
    await createClaim(tenant.client, 'BAY-3', [], { po_number: 'PO-71' });
    await page.goto(`${dashboard.stack.origin}/app/invoices?view=claims`);
    await rows(page).nth(2).waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Submitted' }).click();
    await rows(page).nth(2).waitFor({ state: 'detached' });
    await page.getByLabel('Search').fill('PO-71');
    await rows(page).nth(1).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).to.equal('?view=claims&status=submitted&search=PO-71');
    await page.reload();
    await rows(page).first().waitFor();
    expect(await rows(page).allInnerTexts()).to.deep.equal(['BAY-1']);
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).to.equal('Submitted');
    const command = await copyBy(page, page.getByRole('button', { name: 'Copy curl for this view' }));
    const { body } = await runCurl(command, tenant.client);
    const { items } = (body as { data: { items: { invoice_number: string }[] } }).data;
    expect(items.map(({ invoice_number: number }) => number)).to.deep.equal(['BAY-1']);
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Withdrawn' }).click();
    await page.getByText('Nothing matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows(page).nth(2).waitFor();
    expect(new URL(page.url()).search).to.equal('?view=claims');
  });

  it('has pages, and keeps the page while an invoice is open over it', async () => {
    const { page, tenant } = await dashboard.open('');
    const numbers = Array.from({ length: CLAIMS }, (_, nth) => `N-${String(nth + 1).padStart(2, '0')}`);
    for (const number of numbers) {
      const { body } = await tenant.client.post('/invoices', invoiceInput({ invoice_number: number }));
      await tenant.client.post('/claims', { invoice_id: body.id, club: 'Interstate Motor Club' });
    }
    await page.goto(`${dashboard.stack.origin}/app/invoices?view=claims`);
    await rows(page)
      .nth(PAGE_SIZE - 1)
      .waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await rows(page).filter({ hasText: 'N-01' }).waitFor();
    expect(await rows(page).allInnerTexts()).to.deep.equal(['N-02', 'N-01']);
    await rows(page).first().click();
    const drawer = page.getByRole('dialog', { name: 'N-02', exact: true });
    await drawer.getByRole('tab', { name: 'History' }).click();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await rows(page).allInnerTexts()).to.deep.equal(['N-02', 'N-01']);
    await page.getByRole('button', { name: 'Previous' }).click();
    await rows(page)
      .filter({ hasText: `N-${CLAIMS}` })
      .waitFor();
  });

  it('keeps the old rows while others load, and shows what a colleague decides without a reload', async () => {
    const { page, tenant } = await dashboard.open('');
    const { id } = await createClaim(tenant.client, 'BAY-1', ['submit']);
    await createClaim(tenant.client, 'BAY-2');
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/v1/claims?*status=*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${dashboard.stack.origin}/app/invoices?view=claims`);
    await rows(page).nth(1).waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Submitted' }).click();
    await table(page).and(page.locator('[aria-busy="true"]')).waitFor();
    expect(await rows(page).allInnerTexts()).to.deep.equal(['BAY-2', 'BAY-1']);
    answer();
    await rows(page).nth(1).waitFor({ state: 'detached' });
    await page.unroute('**/v1/claims?*status=*');
    await page.getByRole('tab', { name: 'Invoices', exact: true }).click();
    await page.getByRole('tab', { name: 'Claims' }).click();
    await table(page)
      .getByRole('row', { name: /^BAY-1 .* Submitted / })
      .waitFor();
    await page.evaluate('window.isSameDocument = true');
    await tenant.client.post(`/claims/${id}/outcome`, { outcome: 'paid', amount_cents: 4_000 });
    await table(page)
      .getByRole('row', { name: /^BAY-1 .* Short paid .* \$40\.00$/ })
      .waitFor();
    expect(await page.evaluate('window.isSameDocument'), 'not loaded again').to.equal(true);
  });

  it('a viewer sees the same list on a phone, axe finds no violation, and the empty list offers no claim to make', async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    const user = await createUser(dashboard.stack, tenant.id, { role: 'viewer' });
    const viewport = { width: 320, height: 700 };
    const { page } = await dashboard.open('invoices?view=claims', { tenant, user, viewport });
    // A viewer cannot make a claim, so the empty list does not say how.
    await page
      .getByText('There are no claims yet. A claim asks a motor club to pay an invoice.', { exact: true })
      .waitFor();
    const main = page.getByRole('main');
    expect(await main.getByRole('link', { name: 'Choose an invoice' }).count()).to.equal(0);
    expect(await main.getByRole('region', { name: 'curl command' }).count()).to.equal(0);
    await createClaim(tenant.client, 'BAY-1', ['submit', 'outcome:denied']);
    await page.reload();
    await rows(page).first().waitFor();
    expect(await findViolationsInBothThemes(page)).to.deep.equal([]);
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow, 'px that the page is too wide').to.equal(0);
  });
});
