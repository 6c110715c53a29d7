import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useDashboard } from '../support/browser/dashboard.js';
import { copyWorkOrder } from '../support/records/lifecycle-records.js';
import { createUser } from '../support/records/sign-in.js';
import type { TestTenant } from '../support/stack.js';

/** Matches the requests for the board. */
const BOARD = /\/v1\/dispatch-board/;

describe('the screen Dispatch', () => {
  const dashboard = useDashboard();

  const createTruck = async ({ client }: TestTenant, unitNumber: string) =>
    (await client.post('/trucks', { unit_number: unitNumber, duty_class: 'light', status: 'available' }))
      .body;
  const createWorkOrder = async ({ client }: TestTenant) =>
    (await client.post('/work-orders', { service_type: 'tow', pickup_location: '12 Main St' })).body;
  const findCard = (page: Page, column: string, number: string) =>
    page.getByRole('region', { name: column, exact: true }).getByRole('article', { name: number });

  it('a dispatcher assigns a truck by keyboard alone, hears it, and the focus follows the card', async () => {
    const { page, tenant } = await dashboard.open('dispatch');
    const truck = await createTruck(tenant, '2');
    const { id, job_number: number } = await createWorkOrder(tenant);
    const card = findCard(page, 'Unassigned', number);
    await card.getByLabel('Truck').focus();
    await card.getByLabel('Truck').selectOption(truck.id);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const moved = findCard(page, 'Dispatched', number);
    await moved.waitFor();
    await page.getByRole('status').getByText(`${number} assigned to Truck 2`).waitFor();
    await moved.locator('a:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: number }).waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/app/dispatch/${id}`);
    const { body } = await tenant.client.get(`/work-orders/${id}`);
    expect(body).to.include({ status: 'dispatched', truck_id: truck.id });
  });

  it('of two dispatchers who assign one work order, the second sees who has it, and keeps the choice', async () => {
    const { page, tenant } = await dashboard.open('dispatch');
    const colleague = await createUser(dashboard.stack, tenant.id, { name: 'Uma Umbrella' });
    const truck = await createTruck(tenant, '2');
    const other = await createTruck(tenant, '3');
    const { id, job_number: number } = await createWorkOrder(tenant);
    const { page: faster } = await dashboard.open('dispatch', { tenant, user: colleague });
    const card = findCard(page, 'Unassigned', number);
    await card.getByLabel('Truck').selectOption(truck.id);
    // The colleague's change must not reach this board before the dispatcher's click.
    await page.route(BOARD, (route) => route.abort());
    const theirs = findCard(faster, 'Unassigned', number);
    await theirs.getByLabel('Truck').selectOption(other.id);
    await theirs.getByRole('button', { name: 'Assign' }).click();
    await faster.getByRole('status').getByText(`${number} assigned to Truck 3`).waitFor();
    const refused = page.waitForResponse((response) => response.url().endsWith(`/${id}/assign`));
    await card.getByRole('button', { name: 'Assign' }).click();
    expect((await refused).status(), 'the status of an assignment to an old version').to.equal(412);
    await page.unroute(BOARD);
    const moved = findCard(page, 'Dispatched', number);
    await moved.getByText('Somebody else changed it first.').waitFor();
    await moved.getByText(/Truck: empty → Truck 3, by Uma Umbrella/).waitFor();
    expect((await tenant.client.get(`/work-orders/${id}`)).body.truck_id).to.equal(other.id);
    await moved.getByRole('button', { name: 'Assign' }).click();
    await page.getByRole('status').getByText(`${number} assigned to Truck 2`).waitFor();
    expect((await tenant.client.get(`/work-orders/${id}`)).body.truck_id).to.equal(truck.id);
    await findCard(faster, 'Dispatched', number)
      .getByText(/^Truck 2/)
      .waitFor();
  });

  it('a board of thousands stays usable: all are counted, the cards come by the hundred, and any can be assigned', async () => {
    const { page, tenant } = await dashboard.open('');
    const truck = await createTruck(tenant, '2');
    const { id } = await createWorkOrder(tenant);
    await copyWorkOrder(dashboard.stack, tenant.id, { id, count: 4_999 });
    await page.getByRole('link', { name: 'Dispatch', exact: true }).click();
    const column = page.getByRole('region', { name: 'Unassigned', exact: true });
    await column.getByText('5,000', { exact: true }).waitFor();
    expect(await column.getByRole('article').count()).to.equal(100);
    await column.getByRole('button', { name: 'Show more (4,900 left)' }).click();
    await column.getByRole('article', { name: 'X-199', exact: true }).waitFor();
    expect(await column.getByRole('article').count()).to.equal(200);
    await page.getByLabel('Search').fill('X-4999');
    const card = findCard(page, 'Unassigned', 'X-4999');
    await card.getByLabel('Truck').selectOption(truck.id);
    await card.getByRole('button', { name: 'Assign' }).click();
    await findCard(page, 'Dispatched', 'X-4999').waitFor();
    await page.getByLabel('Search').fill('');
    await column.getByText('4,999', { exact: true }).waitFor();
  });

  it('only cards near the view have form fields, and a card gets them when a person reaches it', async () => {
    const { page, tenant } = await dashboard.open('');
    await createTruck(tenant, '2');
    for (let nth = 0; nth < 40; nth += 1) await createWorkOrder(tenant);
    await page.getByRole('link', { name: 'Dispatch', exact: true }).click();
    const column = page.getByRole('region', { name: 'Unassigned', exact: true });
    const fields = column.getByLabel('Truck');
    await fields.first().waitFor();
    expect(await column.getByRole('article').count()).to.equal(40);
    expect(await fields.count()).to.be.below(20);
    const last = column.getByRole('article').last();
    expect(await last.getByLabel('Truck').count()).to.equal(0);
    await last.getByRole('link').focus();
    await last.getByLabel('Truck').waitFor();
    await page.keyboard.press('Tab');
    await last.locator('select:focus').waitFor();
  });

  it('a card can be dragged to start its work order, and a drop without a meaning is explained', async () => {
    const { page, tenant } = await dashboard.open('dispatch');
    const truck = await createTruck(tenant, '2');
    const { id, job_number: number } = await createWorkOrder(tenant);
    const trucks = page.getByRole('region', { name: 'Trucks', exact: true });
    const item = trucks.getByRole('listitem').filter({ hasText: 'Truck 2' });
    await item.waitFor();
    await findCard(page, 'Unassigned', number).dragTo(item);
    const dispatched = findCard(page, 'Dispatched', number);
    await dispatched.dragTo(page.getByRole('region', { name: 'Completed today', exact: true }));
    await page.getByText(`${number} cannot go from Dispatched to Completed today.`).waitFor();
    await dispatched.dragTo(page.getByRole('region', { name: 'In progress', exact: true }));
    await findCard(page, 'In progress', number).waitFor();
    const { body } = await tenant.client.get(`/work-orders/${id}`);
    expect(body).to.include({ status: 'in_progress', truck_id: truck.id });
  });

  it('a work order that somebody else creates and completes moves over the board without a reload', async () => {
    const { page, tenant } = await dashboard.open('dispatch');
    const truck = await createTruck(tenant, '2');
    const { id, job_number: number } = await createWorkOrder(tenant);
    await findCard(page, 'Unassigned', number).waitFor();
    await tenant.client.post(`/work-orders/${id}/assign`, { truck_id: truck.id });
    await findCard(page, 'Dispatched', number).waitFor();
    await tenant.client.post(`/work-orders/${id}/start`, {});
    await tenant.client.post(`/work-orders/${id}/complete`, {});
    await findCard(page, 'Completed today', number).waitFor();
  });

  it('a card shows the estimated arrival of its truck, until the position is too old', async () => {
    const { page, tenant } = await dashboard.open('dispatch');
    const { client } = tenant;
    const truck = await createTruck(tenant, '2');
    const pickup = { address: '12 Main St', lat: 40.7128, lng: -74.006 };
    const { id, job_number: number } = (await client.post('/work-orders', { service_type: 'tow', pickup }))
      .body;
    await client.post(`/work-orders/${id}/assign`, { truck_id: truck.id });
    await client.patch(`/trucks/${truck.id}`, { location: { lat: 40.8128, lng: -74.006 } });
    const card = findCard(page, 'Dispatched', number);
    const estimate = card.getByText(/^Estimated arrival: about \d+:\d[05] [AP]M$/);
    await estimate.waitFor();
    const { body: board } = await client.get('/dispatch-board');
    board.trucks[0].location.at = new Date(Date.now() - 6 * 60_000).toISOString();
    await page.route(BOARD, (route) => route.fulfill({ json: { ...board, customers: [] } }));
    await page.reload();
    await card.waitFor();
    expect(await estimate.isVisible()).to.equal(false);
  });

  it('a card proposes on scene at the pickup, which the dispatcher logs by keyboard, and at destination at the drop-off', async () => {
    const { page, tenant } = await dashboard.open('dispatch');
    const { client } = tenant;
    const truck = await createTruck(tenant, '2');
    const place = { lat: 40.7128, lng: -74.006 };
    const pickup = { address: '12 Main St', ...place };
    const { id, job_number: number } = (await client.post('/work-orders', { service_type: 'tow', pickup }))
      .body;
    await client.post(`/work-orders/${id}/assign`, { truck_id: truck.id });
    await client.post(`/work-orders/${id}/start`, {});
    const card = findCard(page, 'In progress', number);
    await card.getByRole('button', { name: 'Log acknowledged' }).waitFor();
    await client.patch(`/trucks/${truck.id}`, { location: { ...place, speed_mph: 0 } });
    const proposal = card.getByText('Looks on scene', { exact: true });
    await proposal.waitFor();
    expect(await card.getByText('Estimated arrival').count()).to.equal(0);
    const { body: board } = await client.get('/dispatch-board');
    board.trucks[0].location.at = new Date(Date.now() - 6 * 60_000).toISOString();
    await page.route(BOARD, (route) => route.fulfill({ json: { ...board, customers: [] } }));
    await page.reload();
    await card.getByRole('button', { name: 'Log acknowledged' }).waitFor();
    expect(await proposal.isVisible()).to.equal(false);
    await page.unroute(BOARD);
    await page.reload();
    await proposal.waitFor();
    await card.getByRole('button', { name: 'Log on scene' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText(`${number}: On scene`).waitFor();
    await card.getByRole('button', { name: 'Log hooked' }).waitFor();
    expect(await proposal.count()).to.equal(0);
    expect((await client.get(`/work-orders/${id}`)).body.step).to.equal('on_scene');
    const dropoff = { ...place, lat: 40.8128 };
    await client.patch(`/work-orders/${id}`, { dropoff });
    await client.post(`/work-orders/${id}/steps`, { step: 'hooked' });
    await client.patch(`/trucks/${truck.id}`, { location: { ...dropoff, speed_mph: 0 } });
    await card.getByText('Looks at destination', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Log at destination' }).waitFor();
  });

  it('people set the status of a truck without a work order beside the board', async () => {
    const { page, tenant } = await dashboard.open('dispatch');
    const truck = await createTruck(tenant, '2');
    await page.getByLabel('Status of Truck 2').selectOption('out_of_service');
    await page.getByRole('status').getByText('Truck 2 is out of service').waitFor();
    const { body } = await tenant.client.get(`/trucks/${truck.id}`);
    expect(body.status).to.equal('out_of_service');
  });
});
