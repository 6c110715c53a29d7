import { expect } from 'chai';
import { useDashboard } from '../../../support/browser/dashboard.js';
import { openForKeyboard } from '../../../support/browser/keyboard-person.js';
import { createClaimAfter } from '../../../support/records/lifecycle-records.js';
import { remittanceInput } from '../../../support/records/samples.js';

describe('remittances by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  it('a person imports a list, names the claim of a line, ignores another and applies', async () => {
    const { person, tenant } = await openForKeyboard(dashboard, 'remittances');
    const claim = await createClaimAfter(tenant.client, ['submit'], { invoice: { po_number: 'PO-41' } });
    await person.activate('button', 'Import remittance');
    const form = person.dialog('Import remittance');
    await person.waitForFocus(form);
    await person.fillField('Payer', 'Interstate');
    await person.fillField('Check or transfer number', 'EFT 9');
    await person.fillField('Paid on', '11202026');
    await person.fillField('Total', '112.00');
    await person.fillField('List as CSV', 'PO,Amount\nTYPO,100\nFEE,12');
    await person.submit(form, 'Import');
    const drawer = person.dialog('EFT 9');
    await drawer.getByRole('row', { name: /TYPO/ }).waitFor();
    await person.waitForFocus(drawer);
    const naming = await person.openDialog('Decide on line 1', 'Decide on line 1');
    await person.choose('Claim', /^PO-41 · /);
    await person.submit(naming, 'Decide');
    await drawer.getByRole('row', { name: /TYPO .*expects/ }).waitFor();
    const ignoring = await person.openDialog('Decide on line 2', 'Decide on line 2');
    await person.pick('Ignore the line');
    await person.fillField('Reason', 'A fee of the club');
    await person.submit(ignoring, 'Decide');
    await person.confirm('Apply', 'Apply EFT 9', 'Apply');
    await drawer.getByRole('row', { name: /TYPO .*Applied/ }).waitFor();
    expect((await tenant.client.get(`/claims/${claim.id}`)).body.status).to.equal('paid');
    person.expectWrites('POST /remittances', 'PATCH /remittance-lines/{id}', 'POST /remittances/{id}/apply');
  });

  it('a person deletes a wrong import', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard, 'remittances');
    await tenant.client.post('/remittances', remittanceInput({ reference: 'EFT 11' }));
    await page.getByText('EFT 11').waitFor();
    await person.activate('link', 'EFT 11');
    const drawer = person.dialog('EFT 11');
    await person.waitForFocus(drawer);
    await person.confirm('Delete', 'Delete EFT 11', 'Delete remittance');
    await drawer.waitFor({ state: 'hidden' });
    expect((await tenant.client.get('/remittances')).body.data.items).to.deep.equal([]);
    person.expectWrites('DELETE /remittances/{id}');
  });
});
