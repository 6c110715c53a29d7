import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createClaimAfter } from '../../support/records/lifecycle-records.js';

describe('the screen Remittances', () => {
  const dashboard = useDashboard();

  it('a person imports a list, sees why lines do not match, and applies those that do', async () => {
    const { page, tenant } = await dashboard.open('remittances');
    const claim = await createClaimAfter(tenant.client, ['submit'], { invoice: { po_number: 'PO-41' } });
    await page.getByRole('button', { name: 'Import remittance' }).first().click();
    const form = page.getByRole('dialog', { name: 'Import remittance' });
    await form.getByLabel('Payer').fill('Interstate');
    await form.getByLabel('Check or transfer number').fill('EFT 9');
    await form.getByLabel('Paid on').fill('2026-11-20');
    await form.getByLabel('Total').fill('112.00');
    const list = form.getByLabel('List as CSV');
    await list.fill('PO,Amount\nPO-41,a hundred');
    await form.getByRole('button', { name: 'Import', exact: true }).click();
    await form.getByText(/^Line 2 of csv: "a hundred" is no amount/).waitFor();
    await list.fill('PO,Amount\nPO-41,$100.00\nPO-99,12');
    await form.getByRole('button', { name: 'Import', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'EFT 9', exact: true });
    await drawer.getByRole('row', { name: /PO-99 .*No claim and no invoice has the PO PO-99/ }).waitFor();
    await drawer.getByRole('button', { name: 'Apply' }).click();
    const apply = page.getByRole('dialog', { name: 'Apply EFT 9' });
    await apply.getByText('1 of 2 open lines match.').waitFor();
    await apply.getByRole('button', { name: 'Apply' }).click();
    await drawer.getByRole('row', { name: /PO-41 .*Applied/ }).waitFor();
    const { body } = await tenant.client.get(`/claims/${claim.id}`);
    expect(body).to.include({ status: 'paid', paid_cents: 10_000 });
  });

  it('a list that is chosen as a file becomes the text of the form', async () => {
    const { page } = await dashboard.open('remittances');
    await page.getByRole('button', { name: 'Import remittance' }).first().click();
    const form = page.getByRole('dialog', { name: 'Import remittance' });
    const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('PO,Amount\nPO-7,5') };
    await form.locator('input[type=file]').setInputFiles(file);
    await form.getByText('PO-7,5').waitFor();
    expect(await form.getByLabel('List as CSV').inputValue()).to.equal('PO,Amount\nPO-7,5');
  });
});
