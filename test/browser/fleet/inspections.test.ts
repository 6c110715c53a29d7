/** Inspections in the record of a truck. */
import { expect } from 'chai';
import { findViolationsInBothThemes } from '../../support/browser/axe.js';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createInspection } from '../../support/records/inspections.js';
import { createUser } from '../../support/records/sign-in.js';

describe('the inspections of a truck', () => {
  const dashboard = useDashboard();

  it('a person files a pre-trip inspection whose defect blocks the dispatch, and each fault is beside its field', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: driver } = await tenant.client.post('/drivers', { name: 'Sam Rivera' });
    const input = { unit_number: 'T-1', duty_class: 'light', driver_id: driver.id };
    const { body: truck } = await tenant.client.post('/trucks', input);
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByText('No inspection of this truck was filed.').waitFor();
    await record.getByRole('button', { name: 'File inspection' }).click();
    const form = page.getByRole('dialog', { name: 'File an inspection of Truck T-1' });
    const send = form.getByRole('button', { name: 'File inspection' });
    await form.getByText('Say for each part what was found.').waitFor();
    expect(await send.isDisabled(), 'while a part is without an answer').to.equal(true);
    await form.getByLabel('Brakes').selectOption('Defect: out of service');
    await form.getByLabel('Note on Brakes').fill('Pads are gone');
    await form.getByLabel('Winch and cable').selectOption('Does not apply');
    await form.getByRole('button', { name: 'All others are in order' }).click();
    await form
      .getByText('The truck cannot be dispatched until the defect that takes it out of service is resolved.')
      .waitFor();
    await form.getByLabel('Odometer in miles').fill('10000000');
    await form.getByRole('button', { name: 'Add another defect' }).click();
    const other = form.getByRole('group', { name: 'Other defect 1' });
    await send.click();
    await other.getByText(/^Part (must|is) /).waitFor();
    expect(await other.getByLabel('Part').getAttribute('aria-invalid')).to.equal('true');
    expect(await form.getByLabel('Odometer in miles').getAttribute('aria-invalid')).to.equal('true');
    await other.getByLabel('Part').fill('Left marker');
    await form.getByLabel('Odometer in miles').fill('48210');
    await send.click();
    await form.waitFor({ state: 'detached' });
    await record.getByText('Blocked by a defect').waitFor();
    const table = record.getByRole('table', { name: 'Inspections of the truck' });
    await table
      .getByRole('row', { name: /Pre trip Out of service Sam Rivera Brakes, out of service/ })
      .waitFor();
    const [stored] = (await tenant.client.get('/inspections')).body.data.items;
    expect(stored).to.deep.include({
      kind: 'pre_trip',
      truck_id: truck.id,
      driver_id: driver.id,
      odometer_miles: 48_210,
      result: 'out_of_service',
    });
    expect(stored.items).to.have.length(8);
    expect(stored.items[0]).to.deep.equal({
      key: 'brakes',
      label: 'Brakes',
      state: 'fail',
      note: 'Pads are gone',
    });
    const winch = stored.items.find(({ key }: { key: string }) => key === 'winch');
    expect(winch.state).to.equal('na');
    const found = stored.defects.map((one: { component: string; severity: string }) => [
      one.component,
      one.severity,
    ]);
    expect(found).to.deep.equal([
      ['Brakes', 'out_of_service'],
      ['Left marker', 'minor'],
    ]);
  });

  it('the fault of a defect does not move to another defect if the person removes the first', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: truck } = await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    await page.getByRole('button', { name: 'File inspection' }).click();
    const form = page.getByRole('dialog', { name: 'File an inspection of Truck T-1' });
    await form.getByRole('button', { name: 'All others are in order' }).click();
    await form.getByRole('button', { name: 'Add another defect' }).click();
    await form.getByRole('button', { name: 'Add another defect' }).click();
    await form.getByRole('group', { name: 'Other defect 2' }).getByLabel('Part').fill('Left marker');
    await form.getByRole('button', { name: 'File inspection' }).click();
    await form.getByText(/^Part (must|is) /).waitFor();
    await form.getByRole('button', { name: 'Remove defect 1' }).click();
    const part = form.getByRole('group', { name: 'Other defect 1' }).getByLabel('Part');
    expect(await part.inputValue()).to.equal('Left marker');
    expect(await form.locator('[aria-invalid="true"]').count(), 'faults').to.equal(0);
  });

  it('a person adds links to photos, each fault is beside its link and ends with it, and the record shows the photos', async () => {
    const { page, tenant } = await dashboard.open('');
    const { body: truck } = await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByRole('button', { name: 'File inspection' }).click();
    const form = page.getByRole('dialog', { name: 'File an inspection of Truck T-1' });
    const send = form.getByRole('button', { name: 'File inspection' });
    const photo = (nth: number) => form.getByRole('group', { name: `Photo ${nth}`, exact: true });
    await form.getByRole('button', { name: 'All others are in order' }).click();
    const add = form.getByRole('button', { name: 'Add link to a photo' });
    for (const link of [
      'the winch',
      'https://files.example.com/winch.jpg',
      ' https://files.example.com/odo.jpg ',
    ]) {
      await add.click();
      await form.locator('input:focus').fill(link);
    }
    await photo(3).getByLabel('Shows').selectOption('Odometer');
    await send.click();
    await photo(1)
      .getByText(/^Link must be /)
      .waitFor();
    expect(await photo(1).getByLabel('Link').getAttribute('aria-invalid')).to.equal('true');
    expect(await photo(2).getByLabel('Link').getAttribute('aria-invalid')).to.not.equal('true');
    expect(await findViolationsInBothThemes(page, 'dialog')).to.deep.equal([]);
    await form.getByRole('button', { name: 'Remove photo 1' }).click();
    await form.locator('button:focus', { hasText: 'Add link to a photo' }).waitFor();
    expect(await form.locator('[aria-invalid="true"]').count(), 'faults').to.equal(0);
    await send.click();
    await form.waitFor({ state: 'detached' });
    const table = record.getByRole('table', { name: 'Inspections of the truck' });
    const shown = table.getByRole('link', { name: 'Odometer' });
    expect(await shown.getAttribute('href')).to.equal('https://files.example.com/odo.jpg');
    await table.getByRole('link', { name: 'Damage' }).waitFor();
    const [stored] = (await tenant.client.get('/inspections')).body.data.items;
    expect(stored.photos).to.deep.equal([
      { slot: 'damage', phase: null, url: 'https://files.example.com/winch.jpg', taken_at: null },
      { slot: 'odometer', phase: null, url: 'https://files.example.com/odo.jpg', taken_at: null },
    ]);
  });

  it('a person reopens a resolved defect, and the truck is blocked again', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: truck } = await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    const resolution = { resolved_at: '2026-01-01T00:00:00Z', resolved_by: 'Main Street Garage' };
    const inspection = await createInspection(tenant.client, {
      truck_id: truck.id,
      defects: [
        { component: 'Brakes', severity: 'out_of_service', ...resolution },
        { component: 'Horn', severity: 'minor' },
      ],
    });
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByRole('button', { name: 'Reopen defect Brakes' }).click();
    expect(await record.getByRole('button', { name: 'Reopen defect Horn' }).count()).to.equal(0);
    const form = page.getByRole('dialog', { name: 'Reopen Brakes' });
    await form.getByText('Main Street Garage').waitFor();
    await form.getByText(/^The truck cannot be dispatched until the defect is resolved again\./).waitFor();
    await form.getByRole('button', { name: 'Reopen defect' }).click();
    await record.getByText('Blocked by a defect').waitFor();
    await record.getByRole('button', { name: 'Resolve defect Brakes' }).waitFor();
    const { body } = await tenant.client.get(`/inspections/${inspection.id}`);
    expect(body.result).to.equal('out_of_service');
    expect(body.defects[0]).to.include({ resolved_at: null, resolved_by: null });
  });

  it('a person does not reopen a defect that a colleague has resolved anew, before seeing it', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: truck } = await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    const brakes = { component: 'Brakes', severity: 'minor', resolved_at: '2026-01-01T00:00:00Z' };
    const inspection = await createInspection(tenant.client, { truck_id: truck.id, defects: [brakes] });
    const path = `/inspections/${inspection.id}`;
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    await page.getByRole('button', { name: 'Reopen defect Brakes' }).click();
    const form = page.getByRole('dialog', { name: 'Reopen Brakes' });
    const anew = { id: inspection.defects[0].id, resolved_at: '2026-02-01T00:00:00Z', resolved_by: 'Ada' };
    await tenant.client.patch(path, { defects: [anew] });
    await form.getByRole('button', { name: 'Reopen defect' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByText('Ada', { exact: true }).waitFor();
    expect((await tenant.client.get(path)).body.defects[0].resolved_by).to.equal('Ada');
  });

  it('a person who may only read sees inspections without buttons', async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    const { body: truck } = await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    const brakes = { component: 'Brakes', severity: 'minor', resolved_at: '2026-01-01T00:00:00Z' };
    await createInspection(tenant.client, { truck_id: truck.id, defects: [brakes] });
    const user = await createUser(dashboard.stack, tenant.id, { role: 'viewer' });
    const { page } = await dashboard.open(`settings?tab=trucks&truck=${truck.id}`, { tenant, user });
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByText('Brakes, minor, resolved').waitFor();
    expect(await record.getByRole('button', { name: /Reopen|File inspection/ }).count()).to.equal(0);
  });
});
