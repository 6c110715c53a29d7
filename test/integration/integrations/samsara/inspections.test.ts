import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { TrackedTow } from '../../../support/public-pages/tracked-tow.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { signSamsaraWebhook } from '../../../support/vendors/doubles/samsara/webhook-sender.js';
import {
  type TrackingAccount,
  useTrackingStack,
  WEBHOOK_SECRET,
} from '../../../support/vendors/telematics/tracking.js';

describe('inspections and webhooks of Samsara', () => {
  requireContracts();
  const tracking = useTrackingStack();
  let account: TrackingAccount;
  let vehicle: string;
  let truck: string;

  beforeEach(async () => {
    const organisation = tracking.double.openOrganisation();
    vehicle = organisation.addVehicle().id;
    account = await tracking.createAccount({ organisation });
    truck = await account.createTruckFor(vehicle);
    await account.waitForPositions();
  });

  const submit = (members: object = {}) => {
    const dvir = account.organisation.submitDvir(vehicle, members);
    tracking.double.webhooks.send(account.organisation, 'DvirSubmitted', { dvir: { id: dvir.id } });
    return dvir;
  };
  const list = async (truckId = truck): Promise<Json[]> =>
    (await account.client.get(`/inspections?truck_id=${truckId}`)).body.data.items;
  const waitFor = (result: string) =>
    eventually(`the inspection is ${result}`, async () => {
      const items = await list();
      return items.length === 1 && items[0]?.result === result && items[0];
    });
  const assign = async () => {
    const tow = await TrackedTow.book(account.client);
    return account.client.post(`/work-orders/${tow.id}/assign`, { truck_id: truck });
  };

  it('an unsafe report becomes an inspection that blocks dispatch until a mechanic resolves it', async () => {
    tracking.double.webhooks.habits.copies = 3;
    const dvir = submit({ comments: ['Pulls to the left', 'Squeals'] });
    const inspection = await waitFor('out_of_service');
    tracking.double.webhooks.habits.copies = 1;
    expect(inspection).to.include({ kind: 'pre_trip', truck_id: truck, odometer_miles: 100 });
    expect(inspection.submitted_at).to.equal(dvir.dvirSubmissionTime);
    expect(
      inspection.defects.map(({ component, severity }: Json) => `${severity}: ${component}`),
    ).to.deep.equal([
      'out_of_service: Reported unsafe (samsara)',
      'major: Brakes: Pulls to the left',
      'major: Brakes: Squeals',
    ]);
    const refused = await assign();
    expect([refused.status, refused.body.error?.details?.[0]?.code]).to.deep.equal([409, 'out_of_service']);
    account.organisation.resolve(dvir);
    tracking.double.webhooks.send(account.organisation, 'DvirSubmitted', { dvir: { id: dvir.id } });
    const resolved = await waitFor('pass');
    expect(resolved.id).to.equal(inspection.id);
    expect(resolved.defects[1].resolved_by).to.equal('Jane Mechanic');
    expect((await assign()).status).to.equal(200);
  });

  it('a defect that a person here has resolved stays resolved when Samsara changes the report', async () => {
    const dvir = submit();
    const { id, defects } = await waitFor('out_of_service');
    const change = { defects: [{ id: defects[0].id, resolved_at: new Date().toISOString() }] };
    expect((await account.client.patch(`/inspections/${id}`, change)).status).to.equal(200);
    Object.assign(dvir, { odometerMeters: 200_000, updatedAtTime: new Date().toISOString() });
    await account.hurry(['inspections']);
    await eventually('the odometer is read', async () => (await list())[0]?.odometer_miles === 124);
    expect((await list())[0]?.result).to.equal('pass');
  });

  it('a safe report passes, one with open defects passes with them, and neither blocks dispatch', async () => {
    submit({ safetyStatus: 'safe', type: 'postTrip' });
    expect(await waitFor('pass')).to.include({ kind: 'post_trip' });
    submit({ safetyStatus: 'safe', comments: ['A scratch'] });
    await eventually('both are there', async () => (await list()).length === 2);
    expect((await list())[0]).to.include({ result: 'pass_with_defects' });
    expect((await assign()).status).to.equal(200);
  });

  it('a report whose webhook was lost is found by the next pull, page by page', async () => {
    tracking.double.webhooks.habits.isLost = true;
    tracking.double.pageSize = 1;
    for (let count = 0; count < 3; count++) submit({ comments: [`Defect ${count}`] });
    tracking.double.webhooks.habits.isLost = false;
    await account.hurry(['inspections']);
    await eventually('all are there', async () => (await list()).length === 3);
    await account.hurry(['inspections']);
    expect(await list()).to.have.length(3);
  });

  it('the reports of a vehicle without a truck are kept from the time when a person links it', async () => {
    const other = account.organisation.addVehicle();
    account.organisation.submitDvir(other.id);
    tracking.double.webhooks.send(account.organisation, 'VehicleCreated', { vehicle: { id: other.id } });
    await account.waitForVehicles(2);
    await account.hurry(['inspections']);
    const id = await account.createTruckFor(other.id);
    await eventually('the report is there', async () => (await list(id)).length === 1);
    expect(await list()).to.deep.equal([]);
  });

  it('a report and a position from between two connections of an organisation are not lost', async () => {
    await account.client.delete(`/connections/${account.connectionId}`);
    account.organisation.submitDvir(vehicle);
    account.organisation.drive(vehicle, [42.1, -73.7]);
    await account.connect({});
    await waitFor('out_of_service');
    await account.waitForPlace(truck, 42.1);
    expect((await assign()).status).to.equal(409);
  });

  it('a mended link moves an unresolved report to the right truck, and frees the wrong one', async () => {
    submit();
    const { id } = await waitFor('out_of_service');
    await account.unlink(vehicle);
    const right = await account.createTruckFor(vehicle, { unit_number: 'Right' });
    const moved = await eventually('the report has moved', async () => (await list(right))[0]);
    expect(moved).to.include({ id, result: 'out_of_service' });
    expect(await list()).to.deep.equal([]);
    expect((await assign()).status).to.equal(200);
  });

  it('a mechanic resolves a report although its vehicle is no longer linked', async () => {
    const dvir = submit();
    await waitFor('out_of_service');
    await account.unlink(vehicle);
    account.organisation.resolve(dvir);
    const unknown = account.organisation.submitDvir(vehicle);
    await account.hurry(['inspections']);
    const resolved = await waitFor('pass');
    expect(resolved.truck_id).to.equal(truck);
    expect(unknown.id).to.not.equal(dvir.id);
    expect((await assign()).status).to.equal(200);
  });

  it('notes that a person has written here stay when Samsara changes the report', async () => {
    const dvir = submit();
    const { id } = await waitFor('out_of_service');
    expect((await account.client.patch(`/inspections/${id}`, { notes: 'Ours' })).status).to.equal(200);
    account.organisation.resolve(Object.assign(dvir, { mechanicNotes: 'Theirs' }));
    await account.hurry(['inspections']);
    expect((await waitFor('pass')).notes).to.equal('Ours');
  });

  it('VehicleCreated and VehicleUpdated make the list be read again, and other events nothing', async () => {
    const added = account.organisation.addVehicle({ name: 'New one' });
    tracking.double.webhooks.send(account.organisation, 'VehicleCreated', { vehicle: { id: added.id } });
    await account.waitForVehicles(2);
    added.name = 'Renamed';
    tracking.double.webhooks.send(account.organisation, 'VehicleUpdated', { vehicle: { id: added.id } });
    await eventually(
      'the name is there',
      async () => (await account.findVehicle(added.id)).name === 'Renamed',
    );
    const { statuses } = tracking.double.webhooks;
    const calls = tracking.double.calls.length;
    for (const type of ['GeofenceEntry', 'AlertIncident', 'NobodyKnowsThis', '__proto__'])
      tracking.double.webhooks.send(account.organisation, type, {});
    await tracking.double.webhooks.settle();
    expect(statuses.slice(-4)).to.deep.equal([200, 200, 200, 200]);
    const later = tracking.double.calls.slice(calls).filter(({ name }) => name === 'GET /fleet/vehicles');
    expect(later).to.deep.equal([]);
  });

  it('a webhook with a wrong secret, an old time, a changed body or no signature is 401', async () => {
    const body = JSON.stringify({ eventId: 'e1', eventType: 'VehicleCreated', orgId: 1, data: {} });
    const now = Math.floor(Date.now() / 1000);
    const post = async (headers: Record<string, string>, text = body) =>
      (await fetch(account.webhookUrl, { method: 'POST', body: text, headers })).status;
    const good = signSamsaraWebhook(body, WEBHOOK_SECRET, now);
    expect(await post({})).to.equal(401);
    expect(await post(signSamsaraWebhook(body, Buffer.from('other').toString('base64')))).to.equal(401);
    expect(await post(signSamsaraWebhook(body, WEBHOOK_SECRET, now - 301))).to.equal(401);
    expect(await post({ ...good, 'x-samsara-timestamp': String(now + 1) })).to.equal(401);
    expect(await post(good, `${body} `)).to.equal(401);
    const foreign = await tracking.createAccount({ organisation: account.organisation });
    await foreign.client.patch(`/connections/${foreign.connectionId}`, {
      credentials: { webhook_secret: Buffer.from('another secret of theirs').toString('base64') },
    });
    account.webhookUrl = foreign.webhookUrl;
    expect(await post(good), 'at the address of another account').to.equal(401);
  });

  it('a report moves only the account to whose address the webhook came, and the other by its pull', async () => {
    const other = await tracking.createAccount({ organisation: account.organisation });
    const theirs = await other.createTruckFor(vehicle);
    account.organisation.webhook = { url: account.webhookUrl, token: WEBHOOK_SECRET };
    submit();
    const { id } = await waitFor('out_of_service');
    expect((await other.client.get(`/inspections/${id}`)).status).to.equal(404);
    await other.hurry(['inspections']);
    await eventually('the other account has its own', async () => {
      const { body } = await other.client.get(`/inspections?truck_id=${theirs}`);
      return body.data.items.length === 1 && body.data.items[0].id !== id;
    });
  });
});
