/** Work orders, the board and the trucks by keyboard alone. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useDashboard } from '../../support/browser/dashboard.js';
import { type KeyboardPerson, openForKeyboard } from '../../support/browser/keyboard-person.js';
import { storeLastingSuggestion } from '../../support/records/suggestions.js';
import type { TestTenant } from '../../support/stack.js';

describe('work orders by keyboard alone', function () {
  this.timeout(120_000);
  const dashboard = useDashboard();

  const createTruck = async ({ client }: TestTenant) =>
    (await client.post('/trucks', { unit_number: '12', duty_class: 'light', status: 'available' })).body;
  const openRecord = async (page: Page, { id }: { id: string }) => {
    await page.goto(`${dashboard.stack.origin}/app/work-orders/${id}`);
    await page.getByRole('dialog').getByRole('tab').first().waitFor();
  };

  async function assign(person: KeyboardPerson, number: string): Promise<void> {
    const form = await person.openDialog('Assign', `Assign ${number}`);
    await person.choose('Truck', /^Truck 12,/);
    await person.submit(form, 'Assign');
  }

  it('a person books a work order, corrects it, and cancels it with a reason', async () => {
    const { person, tenant } = await openForKeyboard(dashboard, 'work-orders');
    const form = await person.openDialog('New work order', 'New work order');
    await person.choose('Service type', 'Flatbed tow');
    await person.fillField('Pickup', '1 Harbor Rd');
    await person.submit(form, 'Create work order');
    const { body } = await tenant.client.get('/work-orders');
    const [{ id, job_number: number }] = body.data.items;
    await person.waitForFocus(person.dialog(`Work order ${number}`));
    const edit = await person.openDialog('Edit', `Edit ${number}`);
    await person.fillField('Internal notes', 'Keys are in the office');
    await person.submit(edit, 'Save');
    const cancel = await person.openDialog('Cancel', `Cancel ${number}?`);
    await person.pick('The customer cancelled');
    await person.fillField('Note', 'Found a friend');
    await person.submit(cancel, 'Cancel work order');
    const { body: ended } = await tenant.client.get(`/work-orders/${id}`);
    expect(ended).to.include({
      status: 'cancelled',
      notes: 'Keys are in the office',
      cancel_reason: 'customer',
    });
    person.expectWrites('POST /work-orders', 'PATCH /work-orders/{id}', 'POST /work-orders/{id}/cancel');
  });

  it('a person moves a work order from Assign to Complete and back by its buttons', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard);
    await createTruck(tenant);
    const { body: order } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    const number = order.job_number;
    await openRecord(page, order);
    const drawer = person.dialog(`Work order ${number}`);
    await assign(person, number);
    await person.confirm('Unassign', `Unassign ${number}?`, 'Unassign');
    await assign(person, number);
    await person.confirm('Log step', `Log a step of ${number}`, 'Log step');
    await person.confirm('Start', `Start ${number}?`, 'Start');
    const complete = await person.openDialog('Complete', `Complete ${number}`);
    await person.fillField('Loaded miles', '12.5');
    await person.submit(complete, 'Complete');
    await person.confirm('Reopen', `Reopen ${number}?`, 'Reopen');
    await person.waitForFocus(drawer);
    expect((await tenant.client.get(`/work-orders/${order.id}`)).body.status).to.equal('pending');
    person.expectWrites(
      'POST /work-orders/{id}/assign',
      'POST /work-orders/{id}/unassign',
      'POST /work-orders/{id}/steps',
      'POST /work-orders/{id}/start',
      'POST /work-orders/{id}/complete',
      'POST /work-orders/{id}/reopen',
    );
  });

  it('a dispatcher accepts a call of a motor club', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard);
    const { body: order } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    const set = "update work_orders set intake = 'new' where tenant_id = $1";
    await dashboard.stack.rows(tenant.id, set, [tenant.id]);
    await openRecord(page, order);
    await person.confirm('Accept', `Accept ${order.job_number}?`, 'Accept');
    person.expectWrites('POST /work-orders/{id}/accept');
  });

  it('a dispatcher runs the board: steps, start, completion, a suggestion, and the status of a truck', async () => {
    const { page, person, tenant } = await openForKeyboard(dashboard, '');
    const truck = await createTruck(tenant);
    const { body: order } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    await storeLastingSuggestion(dashboard.stack, tenant.id, {
      entity_type: 'work_order',
      entity_id: order.id,
      title: 'The mileage is missing',
    });
    await person.activate('link', 'Dispatch');
    const card = (column: string) =>
      page
        .getByRole('region', { name: column, exact: true })
        .getByRole('article', { name: order.job_number });
    await person.reach(card('Unassigned').getByRole('button', { name: 'Dismiss' }));
    await person.press('Enter');
    await person.hear('The mileage is missing: dismissed');
    await person.reach(page.getByLabel('Status of Truck 12'));
    await page.keyboard.type('Ret');
    await person.hear('Truck 12 is returning');
    await person.reach(card('Unassigned').getByLabel('Truck'));
    await page.keyboard.type('Truck 12');
    await person.activate('button', 'Assign');
    await person.waitForFocus(card('Dispatched').getByRole('link'));
    await person.activate('button', 'Log acknowledged');
    await person.hear(`${order.job_number}: Acknowledged`);
    await person.activate('button', 'Start');
    await person.waitForFocus(card('In progress').getByRole('link'));
    const complete = await person.openDialog('Complete', `Complete ${order.job_number}`);
    await person.submit(complete, 'Complete');
    await card('Completed today').waitFor();
    expect((await tenant.client.get(`/trucks/${truck.id}`)).body.current_work_order_id).to.equal(null);
    person.expectWrites(
      'POST /suggestions/{id}/dismiss',
      'PATCH /trucks/{id}',
      'POST /work-orders/{id}/assign',
      'POST /work-orders/{id}/steps',
      'POST /work-orders/{id}/start',
      'POST /work-orders/{id}/complete',
    );
  });
});
