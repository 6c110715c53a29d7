/** Trucks, drivers and rate cards by keyboard alone. */
import { expect } from 'chai';
import { useDashboard } from '../../../support/browser/dashboard.js';
import { openForKeyboard } from '../../../support/browser/keyboard-person.js';

describe('trucks, drivers and rate cards by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  it('a person adds a truck, takes it out of service, and resolves a defect', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard, 'settings?tab=trucks');
    const form = await person.openDialog('New truck', 'New truck');
    await person.fillField('Unit number', 'T-1');
    await person.select('Duty class', 'Heavy');
    await person.submit(form, 'Add truck');
    await person.waitForFocus(person.dialog('Truck T-1'));
    const edit = await person.openDialog('Edit', 'Edit Truck T-1');
    await person.select('Status', 'Out');
    await person.submit(edit, 'Save');
    await person.dialog('Truck T-1').getByText('Out of service', { exact: true }).waitFor();
    const [truck] = (await tenant.client.get('/trucks')).body.data.items;
    expect(truck).to.include({ duty_class: 'heavy', status: 'out_of_service' });
    await tenant.client.post('/inspections', {
      kind: 'pre_trip',
      truck_id: truck.id,
      defects: [{ component: 'Brakes', severity: 'out_of_service' }],
    });
    await person.confirm('Resolve defect Brakes', 'Resolve Brakes', 'Resolve defect');
    await page.getByText('No defect blocks the dispatch of this truck.').waitFor();
    await person.press('Escape');
    await person.dialog('Truck T-1').waitFor({ state: 'detached' });
    await person.waitForFocus(page.getByRole('button', { name: 'New truck' }));
    person.expectWrites('POST /trucks', 'PATCH /trucks/{id}', 'PATCH /inspections/{id}');
  });
});
