import { expect } from 'chai';
import { useDashboard } from '../support/browser/dashboard.js';
import { DrivenJob } from '../support/driving/driven-jobs.js';
import { createCompletedWorkOrder, makeRateCard } from '../support/records/priced-work-orders.js';
import { invoiceInput, lineItem } from '../support/records/samples.js';
import { runBillingWatch, storeLastingSuggestion } from '../support/records/suggestions.js';
import type { TestTenant } from '../support/stack.js';

describe('the screen Suggestions', () => {
  const dashboard = useDashboard();

  it('accepting shows the line item to add before it changes the invoice, and adds it once', async () => {
    const { page, tenant } = await dashboard.open();
    const { id, invoice } = await suggestMileage(tenant);
    await page.goto(`${dashboard.stack.origin}/app/suggestions`);
    await page.getByRole('link', { name: 'Mileage was not billed' }).click();
    const drawer = page.getByRole('dialog', { name: 'Mileage was not billed', exact: true });
    await drawer.getByRole('row', { name: /Median of the fee \$54\.00/ }).waitFor();
    await drawer.getByRole('row', { name: /Billed mileage 9 \(90 %\)/ }).waitFor();
    await drawer.getByRole('link', { name: invoice.invoice_number }).waitFor();
    await drawer.getByRole('button', { name: 'Accept' }).click();
    const dialog = page.getByRole('dialog', { name: /^Accept/ });
    await dialog.getByText(`invoice ${invoice.invoice_number}`).waitFor();
    await dialog.getByText('$154.00').waitFor();
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await drawer.getByText(/Accepted by Olive Operator/).waitFor();
    const { body } = await tenant.client.get(`/invoices/${invoice.id}`);
    expect(body.line_items.map((one: { name: string }) => one.name)).to.deep.equal(['Tow', 'Loaded miles']);
    expect((await tenant.client.get(`/suggestions/${id}`)).body.status).to.equal('accepted');
  });

  it('a suggestion for a locked invoice stays open, and the dialog says why and stays open', async () => {
    const { page, tenant } = await dashboard.open();
    const { id } = await suggestMileage(tenant, { isApproved: true });
    await page.goto(`${dashboard.stack.origin}/app/suggestions/${id}`);
    await page.getByRole('button', { name: 'Accept' }).click();
    const dialog = page.getByRole('dialog', { name: /^Accept/ });
    await dialog.getByText(/its line items are locked/).waitFor();
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await dialog.getByRole('alert').waitFor();
    expect((await tenant.client.get(`/suggestions/${id}`)).body.status).to.equal('open');
  });

  it('dismissing stores the reason, and the suggestion leaves the list of open ones', async () => {
    const { page, tenant } = await dashboard.open();
    const { id } = await suggestMileage(tenant);
    await page.goto(`${dashboard.stack.origin}/app/suggestions/${id}`);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    const dialog = page.getByRole('dialog', { name: /^Dismiss/ });
    await dialog.getByLabel('Reason').fill('This club pays no mileage.');
    await dialog.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText(/Dismissed by Olive Operator/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(/Nothing is open/).waitFor();
    const { body } = await tenant.client.get(`/suggestions/${id}`);
    expect(body).to.include({ status: 'dismissed', note: 'This club pays no mileage.' });
  });

  it('a difference to the driven miles shows both figures, and its work order what the positions show', async () => {
    const { page, tenant } = await dashboard.open();
    await makeRateCard(tenant.client, { is_default: true });
    const job = await DrivenJob.dispatch(dashboard.stack, tenant);
    await job.storeDrive();
    await job.logSteps({ hooked: 40, at_destination: 70 });
    await job.complete(80, 9);
    await job.measure();
    const mileage = { name: 'Loaded miles', category: 'mileage', quantity: 4, unit_type: 'mile' } as const;
    await tenant.client.post(
      '/invoices',
      invoiceInput({
        work_order_id: job.id,
        billing_email: 'payer@example.com',
        line_items: [lineItem(), lineItem({ ...mileage, unit_price_cents: 450 })],
      }),
    );
    await runBillingWatch(dashboard.stack);
    await page.goto(`${dashboard.stack.origin}/app/suggestions`);
    await page.getByRole('link', { name: 'Fewer miles were billed than driven' }).click();
    const drawer = page.getByRole('dialog', { name: 'Fewer miles were billed than driven', exact: true });
    await drawer.getByRole('row', { name: /Miles billed 4$/ }).waitFor();
    await drawer.getByRole('row', { name: /Loaded miles by positions, estimated 15$/ }).waitFor();
    await drawer.getByRole('row', { name: /Difference \$27\.00/ }).waitFor();
    await page.goto(`${dashboard.stack.origin}/app/work-orders/${job.id}`);
    await page.getByText('About 15 (positions for 100 % of the time)').waitFor();
    await page.getByText('About 25 (positions for 100 % of the time)').waitFor();
  });

  it('what a customer does not cover shows its limits, and accepting takes it off the invoice', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: club } = await tenant.client.post('/customers', {
      company_name: 'Tri-State Club',
      coverage: { loaded_miles: 10, amount_cents: 9_000 },
    });
    const workOrderId = await createCompletedWorkOrder(tenant.client, { facts: { customer_id: club.id } });
    const tow = lineItem({ category: 'tow', quantity: 1, unit_price_cents: 10_000 });
    const mileage = { name: 'Loaded miles', category: 'mileage', quantity: 30, unit_type: 'mile' } as const;
    const { body: invoice } = await tenant.client.post(
      '/invoices',
      invoiceInput({
        customer_id: club.id,
        work_order_id: workOrderId,
        billing_email: 'payer@example.com',
        line_items: [tow, lineItem({ ...mileage, unit_price_cents: 450 })],
      }),
    );
    await runBillingWatch(dashboard.stack);
    const title = 'More is billed than the customer covers';
    await page.goto(`${dashboard.stack.origin}/app/suggestions`);
    await page.getByRole('link', { name: title }).click();
    const drawer = page.getByRole('dialog', { name: title, exact: true });
    for (const row of [
      /Billed before tax \$235\.00/,
      /Loaded miles covered 10$/,
      /Miles beyond 20 for \$90\.00/,
      /Amount covered \$90\.00/,
      /To charge to the motorist, before tax \$145\.00/,
    ])
      await drawer.getByRole('row', { name: row }).waitFor();
    await drawer.getByRole('button', { name: 'Accept' }).click();
    const dialog = page.getByRole('dialog', { name: /^Accept/ });
    await dialog.getByText('Subtotal afterwards').waitFor();
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await tenant.client.get(`/invoices/${invoice.id}`)).body.subtotal_cents).to.equal(9_000);
  });

  /** Changes the invoice no more afterwards: the running clock would close the suggestion. */
  async function suggestMileage(tenant: TestTenant, { isApproved = false } = {}) {
    const { body: invoice } = await tenant.client.post(
      '/invoices',
      invoiceInput({ billing_email: 'payer@example.com' }),
    );
    if (isApproved) {
      const approved = await tenant.client.post(`/invoices/${invoice.id}/approve`, {});
      expect(approved.status, approved.text).to.equal(200);
    }
    const id = await storeLastingSuggestion(dashboard.stack, tenant.id, {
      kind: 'missed_fee',
      detector: 'missed_mileage',
      entity_type: 'invoice',
      entity_id: invoice.id,
      invoice_id: invoice.id,
      title: 'Mileage was not billed',
      rationale:
        '9 of 10 comparable tow jobs of 10 to 25 miles were billed mileage, median $54.00; this one was not.',
      amount_cents: 5_400,
      proposed_lines: [
        {
          name: 'Loaded miles',
          description: null,
          category: 'mileage',
          quantity: 12,
          unit_type: 'mile',
          unit_price_cents: 450,
          total_cents: 5_400,
          taxable: true,
        },
      ],
    });
    return { id, invoice };
  }
});
