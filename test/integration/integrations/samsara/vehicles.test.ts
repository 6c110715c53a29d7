import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';

const VIN = '1FVACWDT39HAJ3496';

describe('vehicles of Samsara', () => {
  requireContracts();
  const tracking = useTrackingStack();
  let account: TrackingAccount;

  beforeEach(async () => {
    account = await tracking.createAccount();
  });

  const addVehicle = async (members: object) => {
    const { id } = account.organisation.addVehicle(members);
    await account.hurry(['vehicles']);
    await account.waitForVehicles(account.organisation.vehicles.length);
    return id;
  };

  it('GET /integrations describes Samsara, so that the dashboard can connect it', async () => {
    const { body } = await account.client.get('/integrations');
    const { credentials_schema, settings_schema, ...rest } = body.data.items[0];
    expect(rest).to.include({ vendor: 'samsara', kind: 'telematics', auth: 'api_key', sign_in: false });
    expect(credentials_schema.required).to.deep.equal(['api_token']);
    expect(Object.keys(credentials_schema.properties)).to.deep.equal(['api_token', 'webhook_secret']);
    expect(settings_schema.properties.poll_seconds).to.include({ type: 'integer', minimum: 5, maximum: 30 });
  });

  it('GET /connections/{id}/vehicles lists all pages of the organisation, with what Samsara knows', async () => {
    tracking.double.pageSize = 2;
    const members = {
      vin: VIN,
      licensePlate: 'TOW 1',
      make: 'Ford',
      model: 'F-450',
      year: '2021',
      vehicleWeightInPounds: 20_000,
    };
    for (let count = 0; count < 4; count++) account.organisation.addVehicle();
    const id = await addVehicle({ name: 'Heavy 1', ...members });
    expect(await account.findVehicle(id)).to.deep.include({
      connection_id: account.connectionId,
      name: 'Heavy 1',
      vin: VIN,
      plate: 'TOW 1',
      make: 'Ford',
      model: 'F-450',
      year: 2021,
      duty_class: 'medium',
      truck_id: null,
      proposed_truck: null,
      removed_at: null,
    });
    expect((await account.client.get('/trucks')).body.data.items).to.deep.equal([]);
  });

  it('a truck is proposed by its VIN first and then by its unit number, and is not linked', async () => {
    const byVin = (await account.client.post('/trucks', { unit_number: 'A', duty_class: 'light', vin: VIN }))
      .body;
    const byNumber = (await account.client.post('/trucks', { unit_number: 'T-7', duty_class: 'light' })).body;
    const first = await addVehicle({ name: 't-7', vin: VIN.toLowerCase() });
    const second = await addVehicle({ name: 'T-7' });
    expect((await account.findVehicle(first)).proposed_truck).to.deep.equal({
      id: byVin.id,
      unit_number: 'A',
      matched_by: 'vin',
    });
    expect((await account.findVehicle(second)).proposed_truck).to.deep.equal({
      id: byNumber.id,
      unit_number: 'T-7',
      matched_by: 'unit_number',
    });
    expect((await account.link(first, { truck_id: byVin.id })).status).to.equal(200);
    expect(await account.findVehicle(first)).to.include({ truck_id: byVin.id, proposed_truck: null });
  });

  it('a link that is made twice changes nothing, and its end can be asked for twice', async () => {
    const id = await addVehicle({});
    const truck = await account.createTruckFor(id);
    expect((await account.link(id, { truck_id: truck })).body.truck_id).to.equal(truck);
    expect((await account.unlink(id)).body.truck_id).to.equal(null);
    expect((await account.unlink(id)).status).to.equal(200);
    expect((await account.link(id, { truck_id: truck })).body.truck_id).to.equal(truck);
  });

  it('a truck takes no second vehicle of the connection, and a vehicle no second truck', async () => {
    const [first, second] = [await addVehicle({}), await addVehicle({})];
    const truck = await account.createTruckFor(first);
    const other = (await account.client.post('/trucks', { unit_number: 'B', duty_class: 'light' })).body.id;
    for (const refused of [
      await account.link(second, { truck_id: truck }),
      await account.link(first, { truck_id: other }),
      await account.link(first, { create: true }),
    ])
      expect([refused.status, refused.body.error?.code]).to.deep.equal([409, 'conflict']);
    // Of two people who link at the same time, one wins.
    const third = await addVehicle({});
    const both = await Promise.all([
      account.link(second, { truck_id: other }),
      account.link(third, { truck_id: other }),
    ]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
  });

  it('create makes a truck from the vehicle, unless its unit number is taken or missing', async () => {
    const id = await addVehicle({
      name: 'T-40',
      vin: VIN,
      make: 'Hino',
      year: '2020',
      vehicleWeightInPounds: 40_000,
    });
    const truck = await account.readTruck(await account.createTruckFor(id));
    expect(truck).to.include({
      unit_number: 'T-40',
      duty_class: 'heavy',
      vin: VIN,
      make: 'Hino',
      year: 2020,
    });
    const { body } = await account.client.get(`/audit-log?entity_id=${truck.id}`);
    expect(body.data.items.map(({ action }: { action: string }) => action)).to.include('truck.created');
    const twin = await addVehicle({ name: 't-40', vin: 'NOT-A-VIN' });
    expect((await account.link(twin, { create: true })).status).to.equal(409);
    const renamed = await account.link(twin, { create: true, unit_number: 'T-41', duty_class: 'light' });
    expect(renamed.status).to.equal(200);
    expect(await account.readTruck(renamed.body.truck_id)).to.include({ unit_number: 'T-41', vin: null });
  });

  it('wrong links are refused: no target, two targets, unknown ids, a disconnected vendor', async () => {
    const id = await addVehicle({});
    const truck_id = (await account.client.post('/trucks', { unit_number: 'C', duty_class: 'light' })).body
      .id;
    expect((await account.link(id, {})).status).to.equal(400);
    expect((await account.link(id, { truck_id, create: true })).status).to.equal(400);
    expect((await account.link(id, { create: false })).status).to.equal(400);
    expect((await account.link(id, { truck_id: account.connectionId })).status).to.equal(400);
    expect((await account.link('0', { truck_id })).status).to.equal(404);
    expect(
      (await account.client.post(`/connections/${truck_id}/vehicles/${id}/link`, { truck_id })).status,
    ).to.equal(404);
    await account.client.delete(`/connections/${account.connectionId}`);
    expect((await account.link(id, { truck_id })).status).to.equal(409);
  });

  it('a vehicle that Samsara no longer lists disappears, unless it is linked', async () => {
    const [linked, free] = [await addVehicle({}), await addVehicle({})];
    await account.createTruckFor(linked);
    account.organisation.vehicles.length = 0;
    await account.hurry(['vehicles']);
    const [left] = await account.waitForVehicles(1);
    expect(left).to.include({ external_id: linked });
    expect(left?.removed_at).to.be.a('string');
    const rows = 'select external_id from connection_vehicles where tenant_id = $1';
    const stored = await account.stack.rows(account.tenant.id, rows, [account.tenant.id]);
    expect(stored).to.deep.equal([{ external_id: linked }]);
    account.organisation.addVehicle({ id: free });
    await account.hurry(['vehicles']);
    await account.waitForVehicles(2);
  });

  it('who connects the same organisation again keeps the links, but not one that was undone', async () => {
    const [kept, undone] = [await addVehicle({}), await addVehicle({})];
    const truck = await account.createTruckFor(kept);
    await account.createTruckFor(undone);
    await account.unlink(undone);
    const earlier = account.connectionId;
    await account.client.delete(`/connections/${earlier}`);
    expect(await account.listVehicles(), 'of a connection that ended').to.deep.equal([]);
    await account.connect({});
    await eventually('the link is there', async () => (await account.findVehicle(kept)).truck_id === truck);
    expect((await account.findVehicle(undone)).truck_id).to.equal(null);
    const query = 'select 1 from connection_vehicles where tenant_id = $1 and connection_id = $2';
    const rows = await account.stack.rows(account.tenant.id, query, [account.tenant.id, earlier]);
    expect(rows).to.deep.equal([]);
  });
});
