import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { useDashboard } from '../support/browser/dashboard.js';
import { invoiceInput } from '../support/records/samples.js';
import type { TestTenant } from '../support/stack.js';

describe('the screen Invoices', () => {
  const dashboard = useDashboard();

  /** Opens the drawer of a new draft of $125.00. */
  async function openDraft(): Promise<{ page: Page; tenant: TestTenant; drawer: Locator; id: string }> {
    const { page, tenant } = await dashboard.open();
    const input = invoiceInput({ billing_email: 'ap@bay-street.example', line_items: [tow(12_500)] });
    const { body } = await tenant.client.post('/invoices', input);
    await page.goto(`${dashboard.stack.origin}/app/invoices/${body.id}`);
    const drawer = page.getByRole('dialog', { name: body.invoice_number, exact: true });
    await drawer.waitFor();
    return { page, tenant, drawer, id: body.id };
  }

  it('a person writes an invoice: the server computes the totals, and a fault of a line stands beside it', async () => {
    const { page, tenant } = await dashboard.open('invoices');
    await tenant.client.post('/customers', { company_name: 'Bay Street Garage' });
    await page.getByRole('button', { name: 'New invoice' }).first().click();
    const form = page.getByRole('dialog', { name: 'New invoice' });
    await form.getByRole('combobox', { name: 'Customer' }).fill('Bay');
    await page.getByRole('option', { name: 'Bay Street Garage' }).click();
    await form.getByLabel('Number').fill('BAY-1');
    const first = form.getByRole('group', { name: 'Line 1' });
    await first.getByLabel('Unit price').fill('125');
    await form.getByRole('button', { name: 'Add line' }).click();
    const second = form.getByRole('group', { name: 'Line 2' });
    await second.getByLabel('Category').selectOption('mileage');
    await second.getByLabel('Quantity').fill('7.5');
    await second.getByLabel('Unit price').fill('-4.50');
    await second.getByText('Unit price may be negative only').waitFor();
    expect(await second.getByLabel('Unit price').getAttribute('aria-invalid')).to.equal('true');
    await second.getByLabel('Unit price').fill('4.50');
    await second.getByText('Line total $33.75').waitFor();
    await form.getByRole('group', { name: 'Totals' }).getByText('$158.75').last().waitFor();
    await second.getByRole('button', { name: 'Move line 2 up' }).click();
    await form.getByRole('button', { name: 'Create invoice' }).click();
    await page.getByRole('dialog', { name: 'BAY-1' }).waitFor();
    const { body } = await tenant.client.get('/invoices?expand=line_items');
    const [invoice] = body.data.items;
    expect(body.data.items).to.have.length(1);
    expect(invoice).to.include({ invoice_number: 'BAY-1', total_cents: 15_875 });
    expect(invoice.line_items.map((line: { category: string }) => line.category)).to.deep.equal([
      'mileage',
      'tow',
    ]);
  });

  it('two people who edit one invoice lose no edit: the second sees what changed, by whom, and keeps what was typed', async () => {
    const { drawer, page, tenant, id } = await openDraft();
    await drawer.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: /^Edit / });
    await form.getByLabel('PO').fill('PO-7');
    await tenant.client.patch(`/invoices/${id}`, { notes: 'by a colleague', line_items: [tow(20_000)] });
    await form.getByRole('button', { name: 'Save' }).click();
    const newer = form.getByRole('alert');
    await newer.getByText(/Notes: by a colleague by /).waitFor();
    expect((await tenant.client.get(`/invoices/${id}`)).body.po_number).to.equal(null);
    await newer.getByRole('button', { name: 'Keep my changes and go on' }).click();
    expect(await form.getByLabel('PO').inputValue()).to.equal('PO-7');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect((await tenant.client.get(`/invoices/${id}`)).body).to.include({
      notes: 'by a colleague',
      po_number: 'PO-7',
      total_cents: 20_000,
    });
  });

  it('a person approves, sends and is paid for an invoice, and each dialog restates the amount', async () => {
    const { drawer, page, tenant, id } = await openDraft();
    for (const verb of ['Approve', 'Send']) {
      await drawer.getByRole('button', { name: verb, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: new RegExp(`^${verb} `) });
      await dialog.getByText('$125.00').first().waitFor();
      await dialog.getByText('ap@bay-street.example').waitFor();
      await dialog.getByRole('button', { name: verb, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await drawer.getByRole('button', { name: 'Record payment' }).click();
    const payment = page.getByRole('dialog', { name: 'Record payment' });
    await payment.getByLabel('Amount').fill('150');
    await payment.getByLabel('Method').selectOption('cash');
    await payment.getByText('$25.00 is more than the balance').waitFor();
    await payment.getByRole('button', { name: 'Record payment' }).click();
    await payment.waitFor({ state: 'detached' });
    await drawer.getByText('Paid', { exact: true }).first().waitFor();
    const { body } = await tenant.client.get(`/invoices/${id}`);
    expect(body).to.include({ status: 'paid', paid_cents: 12_500 });
    await drawer.getByRole('tab', { name: 'Payments' }).click();
    await drawer.getByRole('cell', { name: '$150.00' }).waitFor();
    await drawer.getByRole('tab', { name: 'Messages' }).click();
    await drawer.getByRole('cell', { name: 'ap@bay-street.example' }).waitFor();
    await drawer.getByRole('tab', { name: 'History' }).click();
    await drawer.getByRole('cell', { name: 'Approved', exact: true }).waitFor();
  });

  it('a person cannot approve an amount that was not shown: after a change the dialog first shows the new amount', async () => {
    const { drawer, page, tenant, id } = await openDraft();
    await drawer.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog', { name: /^Approve / });
    await dialog.getByText('$125.00').first().waitFor();
    await tenant.client.patch(`/invoices/${id}`, { line_items: [tow(90_000)] });
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByRole('alert').waitFor();
    expect((await tenant.client.get(`/invoices/${id}`)).body.status).to.equal('draft');
    await dialog.getByText('$900.00').first().waitFor();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await tenant.client.get(`/invoices/${id}`)).body.status).to.equal('approved');
  });

  it('a person retries a failed message, whose reason is shown, and the invoice is sent again', async () => {
    const { drawer, page, tenant, id } = await openDraft();
    for (const action of ['approve', 'send']) await tenant.client.post(`/invoices/${id}/${action}`, {});
    for (const set of [
      `messages set state = 'failed', provider = 'smtp', error = 'mailbox full', sent_at = null where tenant_id = $1 and invoice_id = $2`,
      `invoices set status = 'failed', delivery_state = 'failed' where tenant_id = $1 and id = $2`,
    ])
      await dashboard.stack.rows(tenant.id, `update ${set}`, [tenant.id, id]);
    await page.reload();
    await drawer.getByRole('tab', { name: 'Messages' }).click();
    await drawer.getByText('mailbox full').waitFor();
    await drawer.getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry the message' });
    await dialog.getByText(/message to ap@bay-street.example is written again/).waitFor();
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await dialog.waitFor({ state: 'detached' });
    await drawer.getByText('Stored here, not sent').waitFor();
    expect(await drawer.getByText('mailbox full').count()).to.equal(0);
    const { body } = await tenant.client.get(`/messages?invoice_id=${id}`);
    expect(body.data.items[0]).to.include({ state: 'sent', provider: 'outbox', error: null });
    expect((await tenant.client.get(`/invoices/${id}`)).body.delivery.state).to.equal('sent');
  });

  it('the PDF of an invoice is downloaded under its number', async () => {
    const { drawer, page } = await openDraft();
    // Send the PDF as plain text. Chromium's PDF viewer would load its own files from another
    // origin.
    await page.route('**/v1/invoices/*/pdf', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'content-type': 'text/plain' } });
    });
    await drawer.getByRole('tab', { name: 'PDF' }).click();
    const downloading = page.waitForEvent('download');
    await drawer.getByRole('link', { name: 'Download' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).to.match(/^invoice-INV-\d+\.pdf$/);
    const bytes = await readFile(await download.path());
    expect(bytes.subarray(0, 5).toString()).to.equal('%PDF-');
  });
});

function tow(cents: number): Record<string, unknown> {
  return {
    name: 'Tow',
    category: 'tow',
    quantity: 1,
    unit_type: 'each',
    unit_price_cents: cents,
    total_cents: cents,
  };
}
