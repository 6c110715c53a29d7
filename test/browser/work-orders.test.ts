import { expect } from 'chai';
import { type DashboardBench, useDashboard } from '../support/browser/dashboard.js';
import { createCompletedWorkOrder, makeRateCard } from '../support/records/priced-work-orders.js';

describe('the screen Work orders', () => {
  const dashboard = useDashboard();

  it('a person books a work order on a narrow phone, and a refused field gets the focus', async () => {
    const viewport = { width: 360, height: 740 };
    const { page, tenant } = await dashboard.open('work-orders', { viewport });
    await tenant.client.post('/customers', { company_name: 'Harbor Auto Club' });
    await page.getByRole('button', { name: 'New work order' }).first().click();
    const form = page.getByRole('dialog', { name: 'New work order' });
    await form.getByRole('combobox', { name: 'Service type' }).click();
    await page.getByRole('option', { name: 'Flatbed tow' }).click();
    await form.getByRole('combobox', { name: 'Customer' }).click();
    await page.getByRole('option', { name: 'Harbor Auto Club' }).click();
    await form.getByLabel('Pickup', { exact: true }).fill('1 Harbor Rd');
    await form.getByLabel('Pickup latitude').fill('40.7');
    await form.getByLabel('Pickup longitude').fill('-274');
    await form.getByLabel('Drop-off latitude').fill('40.8');
    await form.getByLabel('Drop-off longitude').fill('-74.1');
    await form.getByLabel('Make').fill('Honda');
    await form.getByLabel('Year').fill('2019');
    await form.getByRole('button', { name: 'Create work order' }).click();
    await form.getByText(/pickup.lng must be/).waitFor();
    await form.getByLabel('Pickup longitude').and(page.locator(':focus')).waitFor();
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow, 'px that the page scrolls sideways').to.equal(0);
    await form.getByLabel('Pickup longitude').fill('-74');
    await form.getByRole('button', { name: 'Create work order' }).click();
    const drawer = page.getByRole('dialog', { name: /^Work order WO-/ });
    await drawer.getByText('40.8, -74.1', { exact: true }).waitFor();
    const { body } = await tenant.client.get('/work-orders');
    expect(body.data.items).to.have.length(1);
    expect(body.data.items[0]).to.deep.include({
      service_type: 'flatbed_tow',
      pickup_location: '1 Harbor Rd',
      pickup: { address: '1 Harbor Rd', lat: 40.7, lng: -74 },
      dropoff: { address: null, lat: 40.8, lng: -74.1 },
      vehicle: { make: 'Honda', model: null, year: 2019 },
    });
  });

  it('a work order goes from pending to completed by its buttons, and Times shows each step with its person', async () => {
    const { page, tenant, user } = await dashboard.open('work-orders');
    const { body: driver } = await tenant.client.post('/drivers', { name: 'Sam Rivera' });
    await tenant.client.post('/trucks', { unit_number: '12', duty_class: 'light', driver_id: driver.id });
    const { body: order } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    const drawer = await openRecord(dashboard, page, order);
    await drawer.getByRole('button', { name: 'Assign', exact: true }).click();
    const assign = page.getByRole('dialog', { name: `Assign ${order.job_number}` });
    await assign.getByRole('combobox', { name: 'Truck' }).click();
    await page.getByRole('option', { name: /^Truck 12,/ }).click();
    await assign.getByRole('button', { name: 'Assign' }).click();
    await drawer.getByRole('button', { name: 'Log step' }).click();
    await page
      .getByRole('dialog', { name: /^Log a step/ })
      .getByRole('button', { name: 'Log step' })
      .click();
    await drawer.getByRole('button', { name: 'Start' }).click();
    await page
      .getByRole('dialog', { name: /^Start/ })
      .getByRole('button', { name: 'Start' })
      .click();
    await drawer.getByRole('button', { name: 'Complete' }).click();
    const complete = page.getByRole('dialog', { name: /^Complete/ });
    await complete.getByLabel('Loaded miles').fill('12.5');
    await complete.getByRole('button', { name: 'Complete' }).click();
    await drawer.getByRole('button', { name: 'Reopen' }).waitFor();
    await drawer.getByRole('tab', { name: 'Times' }).click();
    const timeline = drawer.getByRole('table', { name: 'Timeline' });
    await timeline.getByRole('row', { name: `Completed ${user.name}` }).waitFor();
    await timeline.getByRole('row', { name: 'Assigned: Truck 12, Sam Rivera' }).waitFor();
    await timeline.getByRole('row', { name: 'Step logged: En route' }).waitFor();
    const { body } = await tenant.client.get(`/work-orders/${order.id}`);
    expect(body).to.include({ status: 'completed', miles: 12.5, driver_id: driver.id });
  });

  it('two people who edit one work order lose no edit: the second sees what changed, and by whom', async () => {
    const { page, tenant } = await dashboard.open('work-orders');
    const { body: order } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    const drawer = await openRecord(dashboard, page, order);
    await drawer.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: `Edit ${order.job_number}` });
    await form.getByLabel('Internal notes').fill('Keys are in the office');
    await tenant.client.patch(`/work-orders/${order.id}`, { pickup_location: '9 New St' });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/pickup location was changed by .+: empty → 9 New St/).waitFor();
    expect(await form.getByLabel('Internal notes').inputValue()).to.equal('Keys are in the office');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const { body } = await tenant.client.get(`/work-orders/${order.id}`);
    expect(body).to.include({ pickup_location: '9 New St', notes: 'Keys are in the office' });
  });

  it('Price explains each item of the rate card, and its invoice then stands under Invoices', async () => {
    const { page, tenant } = await dashboard.open('work-orders');
    await makeRateCard(tenant.client, { is_default: true });
    const id = await createCompletedWorkOrder(tenant.client);
    const { body: order } = await tenant.client.get(`/work-orders/${id}`);
    const drawer = await openRecord(dashboard, page, order);
    await drawer.getByRole('tab', { name: 'Price' }).click();
    await drawer.getByRole('row', { name: /12.5 mile, 5 of them included/ }).waitFor();
    await drawer.getByRole('button', { name: 'Create invoice' }).click();
    const form = page.getByRole('dialog', { name: 'New invoice' });
    await form.getByRole('table', { name: 'Lines by the rate card' }).waitFor();
    await form.getByRole('button', { name: 'Create invoice' }).click();
    await form.waitFor({ state: 'detached' });
    const { body } = await tenant.client.get('/invoices');
    expect(body.data.items).to.have.length(1);
    expect(body.data.items[0]).to.include({ work_order_id: id });
    await openRecord(dashboard, page, order);
    await drawer.getByRole('tab', { name: 'Invoices' }).click();
    await drawer.getByRole('link', { name: body.data.items[0].invoice_number }).waitFor();
  });

  it('Impound shows a hold with its reason, and what ends it', async () => {
    const { page, tenant } = await dashboard.open('work-orders');
    const { body: order } = await tenant.client.post('/work-orders', { service_type: 'impound' });
    const vehicle = { make: 'Honda', model: 'Accord', year: 2019, plate: 'P 1' };
    const created = await tenant.client.post('/impounds', {
      work_order_id: order.id,
      daily_rate_cents: 4500,
      vehicle,
      lot: 'North',
    });
    expect(created.status, created.text).to.equal(201);
    const impoundPath = `/impounds/${created.body.id}`;
    await tenant.client.post(`${impoundPath}/hold`, { reason: 'Police, case 1' });
    const drawer = await openRecord(dashboard, page, order);
    await drawer.getByRole('tab', { name: 'Impound' }).click();
    await drawer.getByText('Police, case 1').waitFor();
    await drawer.getByText('2019 Honda Accord').waitFor();
    await drawer.getByText('$45.00').first().waitFor();
    await tenant.client.post(`${impoundPath}/unhold`, {});
    await drawer.getByText('Police, case 1').waitFor({ state: 'detached' });
    const release = { kind: 'owner', released_to: 'Sam Rivera' };
    const released = await tenant.client.post(`${impoundPath}/release`, release);
    expect(released.status, released.text).to.equal(200);
    await drawer.getByText('Sam Rivera').waitFor();
  });

  it('cancelling asks for a reason, and Gone on arrival is offered only once a truck has started', async () => {
    const { page, tenant } = await dashboard.open('work-orders');
    const { body: order } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    const drawer = await openRecord(dashboard, page, order);
    await drawer.getByRole('button', { name: 'Cancel', exact: true }).click();
    const form = page.getByRole('dialog', { name: `Cancel ${order.job_number}?` });
    expect(await form.getByRole('button', { name: 'Cancel work order' }).isDisabled()).to.equal(true);
    expect(await form.getByRole('radio', { name: /Gone on arrival/ }).count()).to.equal(0);
    await form.getByRole('radio', { name: 'The customer cancelled' }).check();
    await form.getByLabel('Note').fill('Found a friend');
    await form.getByRole('button', { name: 'Cancel work order' }).click();
    await form.waitFor({ state: 'detached' });
    const { body } = await tenant.client.get(`/work-orders/${order.id}`);
    expect(body).to.include({
      status: 'cancelled',
      cancel_reason: 'customer',
      cancel_note: 'Found a friend',
    });
  });
});

/** Opens a work order by its URL, and returns its drawer. */
async function openRecord(
  { stack }: DashboardBench,
  page: Awaited<ReturnType<DashboardBench['open']>>['page'],
  { id, job_number: number }: { id: string; job_number: string },
) {
  await page.goto(`${stack.origin}/app/work-orders/${id}`);
  const drawer = page.getByRole('dialog', { name: `Work order ${number}` });
  await drawer.waitFor();
  return drawer;
}
