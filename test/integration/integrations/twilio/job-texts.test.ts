import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PhoningAccount, usePhoningStack } from '../../../support/vendors/phoning.js';

describe('texts about jobs', () => {
  requireContracts();
  const phoning = usePhoningStack();
  let account: PhoningAccount;
  let nextNumber = 200;

  before(async () => {
    account = await phoning.createAccount();
  });

  const setTemplate = (key: string, body: object) => account.client.patch(`/message-templates/${key}`, body);
  async function assignJob(phone: string) {
    const number = nextNumber++;
    const truck = await account.client.post('/trucks', { unit_number: `T-${number}`, duty_class: 'light' });
    const driver = await account.client.post('/drivers', { name: 'Bo', phone: `+1518777${number}0` });
    const job = await account.client.post('/work-orders', { service_type: 'tow', contact_phone: phone });
    const path = `/work-orders/${job.body.id}`;
    const assigned = await account.client.post(`${path}/assign`, {
      truck_id: truck.body.id,
      driver_id: driver.body.id,
      eta: new Date(Date.now() + 20 * 60_000).toISOString(),
    });
    expect(assigned.status, JSON.stringify(assigned.body)).to.equal(200);
    return { path, id: job.body.id as string, driverPhone: `+1518777${number}0` };
  }
  const waitForText = (phone: string, words: RegExp) =>
    eventually(`a text matches ${words}`, () =>
      phoning.double.findTexts(phone).find(({ body }) => words.test(body)),
    );

  it('GET /message-templates lists every text with the words of the product, all disabled', async () => {
    const { body } = await account.client.get('/message-templates');
    const { items } = body.data;
    expect(items.map(({ key }: { key: string }) => key)).to.include.members([
      'assigned',
      'en_route',
      'driver_link',
    ]);
    expect(items.some(({ enabled }: { enabled: boolean }) => enabled)).to.equal(false);
  });

  it('a disabled template sends nothing', async () => {
    const phone = '+15185550141';
    const { path } = await assignJob(phone);
    await account.client.post(`${path}/start`, {});
    await account.client.post(`${path}/complete`, {});
    const { body } = await account.client.get('/messages?direction=outbound&limit=200');
    expect(
      body.data.items.filter(({ recipient }: { recipient: string }) => recipient === phone),
    ).to.deep.equal([]);
  });

  it('an enabled template texts the motorist on the way, once for each assignment', async () => {
    const phone = '+15185550142';
    await setTemplate('en_route', { enabled: true });
    const { path, id } = await assignJob(phone);
    await account.client.post(`${path}/steps`, { step: 'en_route' });
    const text = await waitForText(phone, /on the way, about (19|20) minutes away/);
    expect(text?.body).to.match(/\/t\//);
    await account.client.post(`${path}/steps`, { step: 'on_scene' });
    await account.client.post(`${path}/steps`, { step: 'en_route' });
    const { body } = await account.client.get(`/messages?work_order_id=${id}`);
    expect(body.data.items).to.have.length(1);
    expect(body.data.items[0]).to.include({ template: 'en_route', recipient: phone });
  });

  it('without an ETA of the dispatcher, the text on the way has an estimate, marked as one', async () => {
    const phone = '+15185550145';
    await setTemplate('en_route', { enabled: true });
    const { client } = account;
    const job = await client.post('/work-orders', {
      service_type: 'tow',
      contact_phone: phone,
      pickup: { lat: 42.65, lng: -73.75 },
    });
    const truck = await client.post('/trucks', { unit_number: 'T-ETA', duty_class: 'light' });
    await client.post(`/work-orders/${job.body.id}/assign`, { truck_id: truck.body.id });
    // 3.5 miles are 4.5 by road: 9 minutes at 30 mph.
    await client.patch(`/trucks/${truck.body.id}`, { location: { lat: 42.7, lng: -73.75 } });
    await client.post(`/work-orders/${job.body.id}/steps`, { step: 'en_route' });
    await waitForText(phone, /on the way, about (9|1\d) minutes away \(estimated\)\. Follow/);
  });

  it("the driver gets the link of the driver's page", async () => {
    await setTemplate('driver_link', { enabled: true });
    const { driverPhone } = await assignJob('+15185550143');
    const text = await waitForText(driverPhone, /\/d\//);
    expect(text).to.not.equal(undefined);
  });

  it("an account's own words are sent, and an unknown placeholder is refused by name", async () => {
    const phone = '+15185550144';
    const refused = await setTemplate('completed', { text: 'Bye {name} and {friend}' });
    expect(refused.status).to.equal(400);
    expect(refused.body.error.details).to.have.length(2);
    const changed = await setTemplate('completed', { text: 'Job {job_number} is done.', enabled: true });
    expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
    expect(changed.body).to.include({ key: 'completed', text: 'Job {job_number} is done.', enabled: true });
    const { path } = await assignJob(phone);
    await account.client.post(`${path}/start`, {});
    await account.client.post(`${path}/complete`, {});
    await waitForText(phone, /^Job WO-\d+ is done\.$/);
    expect((await account.client.get('/message-templates/completed')).body.enabled).to.equal(true);
    expect((await account.client.get('/message-templates/nothing')).status).to.equal(404);
  });
});
