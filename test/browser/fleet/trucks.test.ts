/** The tab Trucks of the settings. */
import { expect } from 'chai';
import { useDashboard } from '../../support/browser/dashboard.js';
import type { Json } from '../../support/client.js';
import { eventually } from '../../support/poll.js';
import { createUser } from '../../support/records/sign-in.js';
import type { TestTenant } from '../../support/stack.js';

/** Adds the truck T-1, and an inspection of it that found these defects. */
async function addInspectedTruck(
  { client }: TestTenant,
  defects: object[],
): Promise<{ truck: Json; inspection: Json }> {
  const { body: truck } = await client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
  const report = { kind: 'pre_trip', truck_id: truck.id, defects };
  return { truck, inspection: (await client.post('/inspections', report)).body };
}

describe('the tab Trucks of Settings', () => {
  const dashboard = useDashboard();

  it('the empty truck rail of Dispatch leads to the tab, and the first truck can be assigned at once', async () => {
    const { page, tenant } = await dashboard.open('dispatch');
    await tenant.client.post('/work-orders', { service_type: 'tow' });
    await page.getByRole('link', { name: 'Add trucks in Settings' }).click();
    await page.getByText('There are no trucks yet').waitFor();
    await page.getByRole('button', { name: 'New truck' }).first().click();
    const form = page.getByRole('dialog', { name: 'New truck' });
    await form.getByLabel('Unit number').fill('T-1');
    await form.getByLabel('Duty class').selectOption('Medium');
    await form.getByLabel('Make').fill('Ford');
    await form.getByLabel('Year').fill('2024');
    await form.getByRole('button', { name: 'Add truck' }).click();
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByText('2024 Ford').waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).to.equal('trucks');
    const [stored] = (await tenant.client.get('/trucks')).body.data.items;
    expect(stored).to.include({ unit_number: 'T-1', duty_class: 'medium', status: 'available', year: 2024 });
    expect(new URL(page.url()).searchParams.get('truck')).to.equal(stored.id);
    await record.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /T-1 Available Medium/ }).waitFor();

    await page.getByRole('link', { name: 'Dispatch', exact: true }).click();
    await page.getByLabel('Truck', { exact: true }).selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Assign' }).click();
    await page.getByText('1 of 1 free').waitFor({ state: 'detached' });
  });

  it('a taken unit number is refused beside its field, and the form keeps what was typed', async () => {
    const { page, tenant } = await dashboard.open('settings?tab=trucks');
    await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    await page.getByRole('button', { name: 'New truck' }).first().click();
    const form = page.getByRole('dialog', { name: 'New truck' });
    await form.getByLabel('Unit number').fill('t-1');
    await form.getByLabel('Plate').fill('TOW 123');
    await form.getByRole('button', { name: 'Add truck' }).click();
    const field = form.getByLabel('Unit number');
    await form.getByText('unit_number t-1 is taken').waitFor();
    expect(await field.getAttribute('aria-invalid')).to.equal('true');
    expect(await form.getByLabel('Plate').inputValue()).to.equal('TOW 123');
    await field.fill('T-2');
    await form.getByRole('button', { name: 'Add truck' }).click();
    await page.getByRole('dialog', { name: 'Truck T-2' }).waitFor();
  });

  it('a person gives a truck a driver and takes it out of service, and a colleague’s change is kept', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: driver } = await tenant.client.post('/drivers', { name: 'Sam Rivera' });
    await tenant.client.post('/drivers', { name: 'Left Last Year', status: 'inactive' });
    const { body: truck } = await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    await page.getByRole('dialog', { name: 'Truck T-1' }).getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Truck T-1' });
    await form.getByLabel('Driver').click();
    await page.getByRole('option', { name: 'Sam Rivera' }).waitFor();
    expect(await page.getByRole('option', { name: 'Left Last Year' }).count(), 'inactive').to.equal(0);
    await page.getByRole('option', { name: 'Sam Rivera' }).click();
    await form.getByLabel('Status').selectOption('Out of service');
    await page.route(`**/v1/trucks/${truck.id}`, (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    );
    await tenant.client.patch(`/trucks/${truck.id}`, { plate: 'TOW 123' });
    await form.getByRole('button', { name: 'Save' }).click();
    await form
      .getByRole('alert')
      .getByText(/plate.*TOW 123/)
      .waitFor();
    await page.unroute(`**/v1/trucks/${truck.id}`);
    const plate = form.getByLabel('Plate');
    await eventually('the form shows the change', async () => (await plate.inputValue()) === 'TOW 123');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('dialog', { name: 'Truck T-1' }).getByText('Sam Rivera').waitFor();
    expect((await tenant.client.get(`/trucks/${truck.id}`)).body).to.include({
      status: 'out_of_service',
      driver_id: driver.id,
      plate: 'TOW 123',
    });
  });

  it('a truck on a job shows the progress of the job, and its status cannot be chosen', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: truck } = await tenant.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    const { body: workOrder } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    await tenant.client.post(`/work-orders/${workOrder.id}/assign`, { truck_id: truck.id });
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByText('Assigned').waitFor();
    await record.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Truck T-1' });
    expect(await form.getByLabel('Status').isDisabled()).to.equal(true);
    await form.getByLabel('Model').fill('F-550');
    await form.getByRole('button', { name: 'Save' }).click();
    await record.getByText('F-550').waitFor();
  });

  it('a truck that a defect blocks is marked, and can be dispatched again once the defect is resolved', async () => {
    const { page, tenant } = await dashboard.open();
    const { truck, inspection } = await addInspectedTruck(tenant, [
      { component: 'Brakes', severity: 'out_of_service' },
      { component: 'Left marker', severity: 'minor' },
    ]);
    const { body: workOrder } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    const assign = () => tenant.client.post(`/work-orders/${workOrder.id}/assign`, { truck_id: truck.id });
    expect((await assign()).status, 'with the defect').to.equal(409);
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks`);
    await page.getByRole('row', { name: /T-1/ }).getByText('Blocked by a defect').waitFor();
    await page.getByRole('link', { name: 'T-1' }).click();
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByText('Blocked by a defect').waitFor();
    await record.getByRole('button', { name: 'Resolve defect Brakes' }).click();
    const form = page.getByRole('dialog', { name: 'Resolve Brakes' });
    await form.getByLabel('Resolved by').fill('Main Street Garage');
    await form.getByRole('button', { name: 'Resolve defect' }).click();
    await record.getByText('Blocked by a defect').waitFor({ state: 'detached' });
    await record.getByText('No defect blocks the dispatch of this truck.').waitFor();
    await record.getByRole('table', { name: 'Other defects' }).getByText('Left marker').waitFor();
    const { defects } = (await tenant.client.get(`/inspections/${inspection.id}`)).body;
    expect(defects[0].resolved_by).to.equal('Main Street Garage');
    expect(defects[1].resolved_at).to.equal(null);
    expect((await assign()).status, 'without the defect').to.equal(200);
  });

  it('a person resolves a defect after a colleague has changed its inspection, and both changes stay', async () => {
    const { page, tenant } = await dashboard.open();
    const { truck, inspection } = await addInspectedTruck(tenant, [
      { component: 'Brakes', severity: 'out_of_service' },
      { component: 'Horn', severity: 'out_of_service' },
    ]);
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByRole('button', { name: 'Resolve defect Brakes' }).click();
    const form = page.getByRole('dialog', { name: 'Resolve Brakes' });
    await form.getByLabel('Resolved by').fill('Main Street Garage');
    const path = `/inspections/${inspection.id}`;
    const horn = { id: inspection.defects[1].id, resolved_at: '2026-01-01T00:00:00Z', resolved_by: 'Ada' };
    await tenant.client.patch(path, { defects: [horn] });
    const send = form.getByRole('button', { name: 'Resolve defect' });
    await send.click();
    await form.getByRole('alert').waitFor();
    await form.getByText('This inspection no longer blocks the dispatch of the truck.').waitFor();
    await send.click();
    await form.waitFor({ state: 'detached' });
    const { defects } = (await tenant.client.get(path)).body;
    expect(defects.map((one: { resolved_by: string }) => one.resolved_by)).to.deep.equal([
      'Main Street Garage',
      'Ada',
    ]);
  });

  it('a person cannot overwrite the resolution of a colleague who was faster', async () => {
    const { page, tenant } = await dashboard.open();
    const { truck, inspection } = await addInspectedTruck(tenant, [
      { component: 'Brakes', severity: 'out_of_service' },
    ]);
    await page.goto(`${dashboard.stack.origin}/app/settings?tab=trucks&truck=${truck.id}`);
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByRole('button', { name: 'Resolve defect Brakes' }).click();
    const form = page.getByRole('dialog', { name: 'Resolve Brakes' });
    await form.getByLabel('Resolved by').fill('Main Street Garage');
    const path = `/inspections/${inspection.id}`;
    const brakes = { id: inspection.defects[0].id, resolved_at: '2026-01-01T00:00:00Z', resolved_by: 'Ada' };
    await tenant.client.patch(path, { defects: [brakes] });
    await form.getByText('By Ada.').waitFor();
    expect(await form.getByRole('button', { name: 'Resolve defect' }).isDisabled()).to.equal(true);
    expect((await tenant.client.get(path)).body.defects[0].resolved_by).to.equal('Ada');
  });

  it('a viewer sees trucks and defects, and no button that changes them', async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    const user = await createUser(dashboard.stack, tenant.id, { role: 'viewer' });
    const { truck } = await addInspectedTruck(tenant, [{ component: 'Brakes', severity: 'out_of_service' }]);
    const { page } = await dashboard.open(`settings?tab=trucks&truck=${truck.id}`, { tenant, user });
    const record = page.getByRole('dialog', { name: 'Truck T-1' });
    await record.getByRole('cell', { name: 'Brakes', exact: true }).waitFor();
    expect(await record.getByRole('button', { name: /Edit|Resolve/ }).count()).to.equal(0);
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /T-1/ }).waitFor();
    expect(await page.getByRole('button', { name: 'New truck' }).count()).to.equal(0);
  });
});
