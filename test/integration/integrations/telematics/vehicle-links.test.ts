import { expect } from 'chai';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';

const VIN = '1FVACWDT39HAJ3496';

/** The rules of links are those of this service, so one vendor shows them. */
describe('links of vehicles', () => {
  requireContracts();
  const tracking = useTrackingStack();
  let account: TrackingAccount;

  beforeEach(async () => {
    account = await tracking.createAccount('samsara');
  });

  const addVehicle = async (members: object) => {
    const { id } = account.fleet.addVehicle(members);
    await account.hurry(['vehicles']);
    await account.waitForVehicles(account.fleet.vehicles.length);
    return id;
  };

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
      pounds: 40_000,
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
});
