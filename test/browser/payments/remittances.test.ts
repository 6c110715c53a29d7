import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createClaimAfter } from '../../support/records/lifecycle-records.js';
import { remittanceInput } from '../../support/records/samples.js';

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

  it('a person deletes a wrong import and imports it again; one with a recorded payment has no button', async () => {
    const { page, tenant } = await dashboard.open('remittances');
    await createClaimAfter(tenant.client, ['submit'], { invoice: { po_number: 'PO-43' } });
    const lines = [{ po_number: 'PO-43', amount_cents: 10_000 }];
    const body = remittanceInput({ reference: 'EFT 10', total_cents: 10_000, lines });
    await tenant.client.post('/remittances', body);
    await page.getByText('EFT 10').click();
    const drawer = page.getByRole('dialog', { name: 'EFT 10', exact: true });
    await drawer.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete EFT 10' });
    await question.getByText(/Its lines are deleted too/).waitFor();
    await question.getByRole('button', { name: 'Delete remittance' }).click();
    await drawer.waitFor({ state: 'hidden' });
    await page.getByText('EFT 10').waitFor({ state: 'hidden' });
    const again = await tenant.client.post('/remittances', body);
    expect(again.status, again.text).to.equal(201);
    await page.getByText('EFT 10').click();
    await drawer.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('dialog', { name: 'Apply EFT 10' }).getByRole('button', { name: 'Apply' }).click();
    await drawer.getByRole('row', { name: /PO-43 .*Applied/ }).waitFor();
    expect(await drawer.getByRole('button', { name: 'Delete' }).count()).to.equal(0);
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
