/** Trucks, drivers and rate cards by keyboard alone. */
import { expect } from 'chai';
import { useDashboard } from '../../../support/browser/dashboard.js';
import { openForKeyboard } from '../../../support/browser/keyboard-person.js';

describe('trucks, drivers and rate cards by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  it('a person adds a truck, takes it out of service, sets its position, files an inspection, and resolves and reopens its defect', async () => {
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
    const position = await person.openDialog('Set position', 'Set the position of Truck T-1');
    await person.fillField('Latitude', '40.7');
    await person.fillField('Longitude', '-74');
    await person.submit(position, 'Set position');
    const { location } = (await tenant.client.get(`/trucks/${truck.id}`)).body;
    expect(location).to.include({ lat: 40.7, lng: -74 });
    const inspection = await person.openDialog('File inspection', 'File an inspection of Truck T-1');
    await person.select('Brakes', 'Defect: out');
    await person.fillField('Note on Brakes', 'Pads are gone');
    await person.activate('button', 'All others are in order');
    await person.activate('button', 'Add another defect');
    await person.waitForFocus(page.getByRole('group', { name: 'Other defect 1' }).getByLabel('Part'));
    await person.activate('button', 'Remove defect 1');
    await person.waitForFocus(inspection.getByRole('button', { name: 'Add another defect' }));
    await person.activate('button', 'Add link to a photo');
    await person.waitForFocus(page.getByRole('group', { name: 'Photo 1' }).getByLabel('Link'));
    await page.keyboard.type('https://files.example.com/brakes.jpg');
    await person.activate('button', 'Add link to a photo');
    await person.activate('button', 'Remove photo 2');
    await person.waitForFocus(inspection.getByRole('button', { name: 'Add link to a photo' }));
    await person.submit(inspection, 'File inspection');
    await person.confirm('Resolve defect Brakes', 'Resolve Brakes', 'Resolve defect');
    await page.getByText('No defect blocks the dispatch of this truck.').waitFor();
    await person.confirm('Reopen defect Brakes', 'Reopen Brakes', 'Reopen defect');
    await page.getByRole('button', { name: 'Resolve defect Brakes' }).waitFor();
    const [filed] = (await tenant.client.get('/inspections')).body.data.items;
    expect(filed.photos).to.have.length(1);
    expect(filed.photos[0]).to.include({ slot: 'damage', url: 'https://files.example.com/brakes.jpg' });
    await person.press('Escape');
    await person.dialog('Truck T-1').waitFor({ state: 'detached' });
    await person.waitForFocus(page.getByRole('button', { name: 'New truck' }));
    person.expectWrites('POST /trucks', 'PATCH /trucks/{id}', 'POST /inspections', 'PATCH /inspections/{id}');
  });

  it('a person adds a driver and makes the driver inactive', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard, 'settings?tab=drivers');
    const form = await person.openDialog('New driver', 'New driver');
    await person.fillField('Name', 'Sam Rivera');
    await person.toggle('checkbox', 'Heavy');
    await person.submit(form, 'Add driver');
    await person.waitForFocus(person.dialog('Sam Rivera'));
    const edit = await person.openDialog('Edit', 'Edit Sam Rivera');
    await person.select('Status', 'Inact');
    await person.submit(edit, 'Save');
    await person.dialog('Sam Rivera').getByText('Inactive').waitFor();
    await person.press('Escape');
    await person.waitForFocus(page.getByRole('button', { name: 'New driver' }));
    const [driver] = (await tenant.client.get('/drivers')).body.data.items;
    expect(driver.duty_classes).to.deep.equal(['light', 'heavy']);
    person.expectWrites('POST /drivers', 'PATCH /drivers/{id}');
  });

  it('a person creates a rate card with two items and supersedes it', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard, 'settings?tab=rate-cards');
    const form = await person.openDialog('New rate card', 'New rate card');
    await person.fillField('Name', 'Standard rates');
    await person.fillField('Price', '125');
    await person.activate('button', 'Add item');
    await person.waitForFocus(page.getByRole('group', { name: 'Item 2' }));
    await page.keyboard.type('Mileage');
    await person.reach(page.getByRole('group', { name: 'Item 2' }).getByLabel('Price'));
    await page.keyboard.type('4.50');
    await person.submit(form, 'Create rate card');
    await person.waitForFocus(person.dialog('Standard rates, version 1'));
    const next = await person.openDialog('Supersede', 'Supersede Standard rates');
    await person.activate('button', 'Remove item 1');
    await person.waitForFocus(page.getByRole('button', { name: 'Add item' }));
    await person.submit(next, 'Create version 2');
    await person.waitForFocus(person.dialog('Standard rates, version 2'));
    await person.press('Escape');
    await person.waitForFocus(page.getByRole('button', { name: 'New rate card' }));
    const [newest] = (await tenant.client.get('/rate-cards')).body.data.items;
    expect(newest.items).to.have.length(1);
    expect(newest.items[0]).to.include({ category: 'mileage', unit_price_cents: 450 });
    person.expectWrites('POST /rate-cards');
  });
});
