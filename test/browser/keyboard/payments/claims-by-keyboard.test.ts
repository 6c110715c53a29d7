/** Claims on motor clubs by keyboard alone. */
import { expect } from 'chai';
import { useDashboard } from '../../../support/browser/dashboard.js';
import { openForKeyboard } from '../../../support/browser/keyboard-person.js';
import { createClaimAfter, createInvoiceAfter } from '../../../support/records/lifecycle-records.js';

describe('claims by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  it('a person makes, submits, corrects, bills again and withdraws a claim', async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    const id = await createInvoiceAfter(tenant.client, ['approve']);
    const { page, person } = await openForKeyboard(dashboard, `invoices/${id}`, { tenant });
    await person.openTab('Claims');
    const form = await person.openDialog('New claim', /^New claim for INV-/);
    await person.fillField('Motor club', 'Interstate');
    await person.submit(form, 'Create claim');
    await person.confirm('Submit claim', 'Send the claim on Interstate', 'Submit claim');
    const decision = await person.openDialog("Record the club's decision", /^Record the decision of/);
    await person.pick('It denies the claim');
    await person.choose('Why', 'The PO number is missing');
    await person.submit(decision, 'Record decision');
    await page.getByText('Denied: The PO number is missing').waitFor();
    const correction = await person.openDialog('Correct claim', 'Correct the claim on Interstate');
    await person.fillField('PO number', 'PO-88213');
    await person.activate('button', 'Add evidence');
    await person.waitForFocus(correction.getByRole('group', { name: 'Evidence 1' }).getByLabel('Link'));
    await page.keyboard.type('https://files.example.com/1.jpg');
    await person.activate('button', 'Add evidence');
    await person.activate('button', 'Remove evidence 2');
    await person.waitForFocus(correction.getByRole('button', { name: 'Add evidence' }));
    await person.submit(correction, 'Save');
    await tenant.client.post(`/invoices/${id}/approve`, {});
    await person.confirm('Bill again', 'Send the claim on Interstate', 'Bill again');
    const question = await person.openDialog('Withdraw claim', 'Withdraw the claim on Interstate');
    await person.fill('textbox', /^Reason/, 'The motorist paid');
    await person.submit(question, 'Withdraw claim');
    await page.getByText('Withdrawn', { exact: true }).waitFor();
    const [claim] = (await tenant.client.get(`/claims?invoice_id=${id}`)).body.data.items;
    expect(claim).to.deep.include({
      status: 'withdrawn',
      attempt: 2,
      po_number: 'PO-88213',
      evidence: [{ kind: 'photo', url: 'https://files.example.com/1.jpg', note: null }],
    });
    person.expectWrites(
      'POST /claims',
      'POST /claims/{id}/submit',
      'POST /claims/{id}/outcome',
      'PATCH /claims/{id}',
      'POST /claims/{id}/rebill',
      'POST /claims/{id}/withdraw',
    );
  });

  it('a person opens a claim of the list by j and Enter, withdraws it, and Escape leads back to its row', async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    for (const invoice_number of ['BAY-1', 'BAY-2'])
      await createClaimAfter(tenant.client, [], { invoice: { invoice_number } });
    const { page, person } = await openForKeyboard(dashboard, 'invoices', { tenant });
    await person.reach(page.getByRole('main').getByRole('tab', { name: 'Invoices' }));
    await person.press('ArrowRight');
    const table = page.getByRole('table', { name: 'Claims', exact: true });
    const rows = table.locator('tbody').getByRole('link');
    await person.reach(rows.first());
    await person.press('j');
    await person.press('Enter');
    const drawer = person.dialog('BAY-1');
    const question = await person.openDialog('Withdraw claim', /^Withdraw the claim on/);
    await person.fill('textbox', /^Reason/, 'The motorist paid');
    await person.submit(question, 'Withdraw claim');
    await drawer.getByText('Withdrawn', { exact: true }).waitFor();
    await person.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await person.waitForFocus(rows.nth(1));
    await table.getByRole('row', { name: /^BAY-1 .* Withdrawn / }).waitFor();
    person.expectWrites('POST /claims/{id}/withdraw');
  });
});
