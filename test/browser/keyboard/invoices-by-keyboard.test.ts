/** Invoices and customers by keyboard alone: no test of this folder clicks. */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { openForKeyboard } from '../../support/browser/keyboard-person.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { storeBillingPartner } from '../../support/vendors/connection-rows.js';

describe('invoices and customers by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  it('a person creates a customer, corrects it, enters its coverage, bills it through a partner, and finds it', async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    const partner = await storeBillingPartner(dashboard.stack, { tenantId: tenant.id, text: 'Club billing' });
    const { page, person } = await openForKeyboard(dashboard, 'customers', { tenant });
    const form = await person.openDialog('New customer', 'New customer');
    await person.fillField('Name', 'Bay Street Garage');
    await person.submit(form, 'Create customer');
    await person.waitForFocus(person.dialog('Bay Street Garage'));
    const edit = await person.openDialog('Edit', 'Edit Bay Street Garage');
    await person.fillField('Billing e-mail', 'not an address');
    await person.reach(edit.getByRole('button', { name: 'Save' }));
    await person.press('Enter');
    await person.waitForFocus(edit.getByLabel('Billing e-mail'));
    await person.press('Control+A');
    await page.keyboard.type('ap@bay-street.example');
    await person.fillField('Covered loaded miles', '12.5');
    await person.fillField('Covered amount before tax', '150');
    await person.chooseSeveral('Covered services', ['Lockout', 'Jump start']);
    await person.choose('Billed through', 'Club billing');
    await person.submit(edit, 'Save');
    await person.waitForFocus(person.dialog('Bay Street Garage'));
    await page.getByText('12.5 loaded miles; $150.00 before tax; Lockout, Jump start').waitFor();
    await person.press('Escape');
    await person.dialog('Bay Street Garage').waitFor({ state: 'detached' });
    await person.fillField('Search', 'Bay Str');
    await page.waitForURL(/search=Bay/);
    const { body } = await tenant.client.get('/customers');
    expect(body.data.items[0]).to.deep.include({
      billing_email: 'ap@bay-street.example',
      billing_connection_id: partner,
      coverage: { loaded_miles: 12.5, amount_cents: 15_000, service_types: ['lockout', 'jump_start'] },
    });
    person.expectWrites('POST /customers', 'PATCH /customers/{id}');
  });

  it('a person returns an approved invoice, corrects it, and cancels it', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard);
    const id = await createInvoiceAfter(tenant.client, ['approve']);
    const number = await openInvoice(page, id);
    await person.confirm('Return', `Return ${number}`, 'Return');
    await person.hear('returned for changes');
    const edit = await person.openDialog('Edit', `Edit ${number}`);
    await person.fillField('PO', 'PO-7');
    await person.submit(edit, 'Save');
    const cancel = await person.openDialog('Cancel invoice', `Cancel ${number}`);
    await person.fill('textbox', /^Reason/, 'Written twice');
    await person.submit(cancel, 'Cancel invoice');
    const { body } = await tenant.client.get(`/invoices/${id}`);
    expect(body).to.include({ status: 'cancelled', po_number: 'PO-7' });
    person.expectWrites('POST /invoices/{id}/return', 'PATCH /invoices/{id}', 'POST /invoices/{id}/cancel');
  });

  it('a person disputes a sent invoice, resolves the dispute, and voids the invoice', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard);
    const id = await createInvoiceAfter(tenant.client, ['approve', 'send']);
    const number = await openInvoice(page, id);
    const dispute = await person.openDialog('Dispute', `Dispute ${number}`);
    await person.fill('textbox', /^What the customer objects to/, 'The mileage');
    await person.submit(dispute, 'Dispute');
    await person.confirm('Resolve', `Resolve ${number}`, 'Resolve');
    const voiding = await person.openDialog('Void', `Void ${number}`);
    await person.fill('textbox', /^Reason/, 'Agreed by phone');
    await person.submit(voiding, 'Void');
    expect((await tenant.client.get(`/invoices/${id}`)).body.status).to.equal('void');
    person.expectWrites(
      'POST /invoices/{id}/dispute',
      'POST /invoices/{id}/resolve',
      'POST /invoices/{id}/void',
    );
  });

  it('a person reads the messages of an invoice, retries a failed one, and revokes its link', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard);
    const id = await createInvoiceAfter(tenant.client, ['approve', 'send']);
    for (const set of [
      `messages set state = 'failed', provider = 'smtp', error = 'full', sent_at = null where tenant_id = $1 and invoice_id = $2`,
      `invoices set status = 'failed', delivery_state = 'failed' where tenant_id = $1 and id = $2`,
    ])
      await dashboard.stack.rows(tenant.id, `update ${set}`, [tenant.id, id]);
    const number = await openInvoice(page, id);
    await person.openTab('Messages');
    await person.confirm('Retry', 'Retry the message', 'Retry');
    const { body } = await tenant.client.get(`/messages?invoice_id=${id}`);
    await person.openDialog('Show', body.data.items[0].subject);
    await person.press('Escape');
    await person.confirm('Revoke link', 'Revoke the link', 'Revoke link');
    await person.press('Escape');
    await person.dialog(number).waitFor({ state: 'detached' });
    person.expectWrites('POST /messages/{id}/retry', 'POST /messages/{id}/revoke-link');
  });

  type Opened = Awaited<ReturnType<typeof dashboard.open>>;
  /** Opens the drawer of an invoice, and returns the number of the invoice. */
  async function openInvoice(page: Opened['page'], id: string): Promise<string> {
    await page.goto(`${dashboard.stack.origin}/app/invoices/${id}`);
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('tab', { name: 'Details' }).waitFor();
    return (await drawer.getByRole('heading').first().textContent()) ?? '';
  }
});
