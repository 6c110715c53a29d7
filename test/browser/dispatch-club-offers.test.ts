import { expect } from 'chai';
import { useDashboard } from '../support/browser/dashboard.js';
import { addClub, offerForAnHour, offerJob } from '../support/clubs/clubs.js';

describe("motor clubs' offers on the screen Dispatch", () => {
  const dashboard = useDashboard();

  it('an offer appears without a reload, is accepted with an ETA and a truck, and its card is on the board', async () => {
    const { page, tenant } = await dashboard.open('dispatch');
    const { client } = tenant;
    const club = await addClub(dashboard.stack, client);
    const { body: truck } = await client.post('/trucks', { unit_number: '12', duty_class: 'light' });
    await page.getByText('Truck 12').first().waitFor();
    const offer = await offerJob(club);
    const shown = page.getByRole('article', { name: `${club.name}, ${offer.reference}` });
    await shown.getByText('2019 Honda Accord').waitFor();
    expect(await shown.getByRole('timer').textContent()).to.match(/^[01]:\d\d$/);
    await shown.getByRole('button', { name: /^Accept/ }).click();
    const dialog = page.getByRole('dialog', { name: `Accept ${offer.reference}` });
    await dialog.getByText(offer.contact_phone).waitFor();
    await dialog.getByLabel('Minutes until arrival').fill('25');
    await dialog.getByLabel('Truck', { exact: true }).click();
    await page.getByRole('option', { name: 'Truck 12' }).click();
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await dialog.waitFor({ state: 'detached' });
    await shown.waitFor({ state: 'detached' });
    const { body } = await client.get(`/club-offers/${offer.id}`);
    expect(body).to.include({ status: 'accepted', progress: 'dispatched' });
    const { body: order } = await client.get(`/work-orders/${body.work_order_id}`);
    expect(order.truck_id).to.equal(truck.id);
    const column = page.getByRole('region', { name: 'Dispatched', exact: true });
    await column.getByRole('article', { name: order.job_number }).waitFor();
  });

  it('an offer is announced on every screen, and its countdown does not depend on the clock of the computer', async () => {
    const { page, tenant } = await dashboard.open('customers');
    await page.clock.install({ time: Date.now() + 600_000 });
    await page.reload();
    await page.getByText('Connected').waitFor();
    const club = await addClub(dashboard.stack, tenant.client);
    await offerJob(club);
    await page.getByRole('link', { name: `${club.name} offers a job` }).click();
    const timer = page.getByRole('article', { name: club.name }).getByRole('timer');
    expect(await timer.textContent()).to.match(/^[01]:\d\d$/);
  });

  it('a dispatcher whose answer comes too late reads why, and an offer that the club withdraws disappears', async () => {
    const { page, tenant } = await dashboard.open('dispatch');
    const club = await addClub(dashboard.stack, tenant.client);
    const id = await offerForAnHour(club);
    const { body: offer } = await tenant.client.get(`/club-offers/${id}`);
    await page.getByRole('button', { name: `Refuse ${club.name}, ${offer.reference}` }).click();
    const dialog = page.getByRole('dialog', { name: `Refuse ${offer.reference}` });
    await dialog.getByLabel('The place is too far away').check();
    await tenant.client.post(`/club-offers/${id}/refuse`, { reason: 'price' });
    await dialog.getByRole('button', { name: 'Refuse', exact: true }).click();
    await dialog.getByText('This offer is refused already').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    const withdrawn = await offerForAnHour(club);
    await page.getByRole('article', { name: club.name }).waitFor();
    await club.client.post(`/club-offers/${withdrawn}/withdraw`, {});
    await page.getByRole('article', { name: club.name }).waitFor({ state: 'detached' });
  });
});
