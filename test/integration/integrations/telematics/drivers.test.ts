import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';
import { labelOf, VENDOR_NAMES } from '../../../support/vendors/telematics/vendors.js';

for (const name of VENDOR_NAMES)
  describe(`drivers of ${labelOf(name)}`, () => {
    requireContracts();
    const tracking = useTrackingStack();
    let account: TrackingAccount;

    beforeEach(async () => {
      account = await tracking.createAccount(name);
    });

    const addDriver = async (members: object) => {
      const { id } = account.fleet.addDriver(members);
      await account.readDrivers();
      return id;
    };
    const createDriver = async (members: object): Promise<string> =>
      (await account.client.post('/drivers', members)).body.id;

    it('GET /connections/{id}/drivers lists all pages, and the API pages them, and creates nobody', async () => {
      account.double.pageSize = 2;
      for (let count = 0; count < 4; count++) account.fleet.addDriver();
      const id = await addDriver({ name: 'Sam Rivera', phone: '(212) 555-0100' });
      expect(await account.findDriver(id)).to.deep.include({
        connection_id: account.connectionId,
        name: 'Sam Rivera',
        phone: '(212) 555-0100',
        driver_id: null,
        proposed_driver: null,
        removed_at: null,
      });
      const path = `/connections/${account.connectionId}/drivers?limit=3`;
      const first = (await account.client.get(path)).body.data;
      const second = (await account.client.get(`${path}&cursor=${first.cursor}`)).body.data;
      const ids = [...first.items, ...second.items].map(({ external_id }: Json) => external_id);
      expect(ids).to.have.members(account.fleet.drivers.map((driver) => driver.id));
      expect((await account.client.get('/drivers')).body.data.items).to.deep.equal([]);
    });

    it('a driver is proposed by the phone number first and then by the name, and is not linked', async () => {
      const byPhone = await createDriver({ name: 'Sammy', phone: '+1 212 555 0100 ext. 4' });
      const byName = await createDriver({ name: 'Jo  Park' });
      await createDriver({ name: 'Sam Rivera', phone: '+44 20 7946 0000' });
      const first = await addDriver({ name: 'Sam Rivera', phone: '212.555.0100' });
      const second = await addDriver({ name: 'jo park', phone: '2125550199' });
      const proposed = async (id: string) => (await account.findDriver(id)).proposed_driver;
      expect(await proposed(first)).to.deep.equal({ id: byPhone, name: 'Sammy', matched_by: 'phone' });
      expect(await proposed(second)).to.deep.equal({ id: byName, name: 'Jo  Park', matched_by: 'name' });
      const { status, body } = await account.linkDriver(first, { driver_id: byPhone });
      expect([status, body.driver_id, body.proposed_driver]).to.deep.equal([200, byPhone, null]);
    });

    it('a number or name of two drivers, here or at the vendor, proposes nobody', async () => {
      for (const phone of ['212 555 0100', '+12125550100']) await createDriver({ name: 'Twin', phone });
      await createDriver({ name: 'Kim Lee', phone: '2125550177' });
      const gone = await createDriver({ name: 'Al Gone' });
      await account.client.patch(`/drivers/${gone}`, { status: 'inactive' });
      const ids = [
        await addDriver({ name: 'Twin', phone: '12125550100' }),
        await addDriver({ name: 'Kim Lee', phone: '2125550177' }),
        await addDriver({ name: 'KimLee', phone: '1 212 555 0177' }),
        await addDriver({ name: 'Al Gone' }),
      ];
      for (const id of ids) expect((await account.findDriver(id)).proposed_driver).to.equal(null);
      // Once one of the namesakes is linked, the other driver is the only one.
      expect((await account.linkDriver(ids[2] as string, { create: true })).status).to.equal(200);
      expect((await account.findDriver(ids[1] as string)).proposed_driver).to.include({ name: 'Kim Lee' });
    });

    it('create makes a driver with the name and number of the vendor, and the audit log names it', async () => {
      const id = await addDriver({ name: 'Jo Park', phone: '2125550101' });
      const { status, body } = await account.linkDriver(id, { create: true });
      expect(status, JSON.stringify(body)).to.equal(200);
      const driver = (await account.client.get(`/drivers/${body.driver_id}`)).body;
      expect(driver).to.include({ name: 'Jo Park', phone: '2125550101', status: 'active' });
      const log = (await account.client.get(`/audit-log?entity_id=${driver.id}`)).body.data.items;
      expect(log.map(({ action }: Json) => action)).to.include('driver.created');
      expect((await account.unlinkDriver(id)).body.driver_id).to.equal(null);
    });

    it('who connects the same organisation again keeps the links of drivers', async () => {
      const [kept, undone] = [await addDriver({}), await addDriver({})];
      const driver = (await account.linkDriver(kept, { create: true })).body.driver_id;
      await account.linkDriver(undone, { create: true });
      await account.unlinkDriver(undone);
      await account.client.delete(`/connections/${account.connectionId}`);
      await account.connect({});
      await account.readDrivers();
      expect((await account.findDriver(kept)).driver_id).to.equal(driver);
      expect((await account.findDriver(undone)).driver_id).to.equal(null);
    });

    it('a disconnection erases the drivers at once, and a link is then refused', async () => {
      const id = await addDriver({ phone: '2125550101' });
      await account.client.delete(`/connections/${account.connectionId}`);
      const rows = 'select 1 from connection_drivers where tenant_id = $1';
      expect(await account.stack.rows(account.tenant.id, rows, [account.tenant.id])).to.deep.equal([]);
      expect((await account.linkDriver(id, { create: true })).status).to.equal(409);
    });

    it('a driver who is no longer listed disappears, unless linked, and a webhook makes the list be read', async () => {
      const [linked] = [await addDriver({}), await addDriver({})];
      await account.linkDriver(linked, { create: true });
      account.fleet.drivers.length = 0;
      const added = account.fleet.addDriver({ name: 'New one' });
      account.double.webhooks.report(account.fleet, 'driver_changed', added.id);
      const left = await eventually('the list is read', async () => {
        const drivers = await account.listDrivers();
        return drivers.some(({ name: one }) => one === 'New one') && drivers;
      });
      expect(left.map(({ external_id }) => external_id)).to.have.members([linked, added.id]);
      expect((await account.findDriver(linked)).removed_at).to.be.a('string');
    });

    it('credentials without the right to read drivers leave vehicles and positions alone', async () => {
      const path = name === 'samsara' ? 'GET /fleet/drivers' : 'GET /v1/users';
      const body =
        name === 'samsara' ? { message: 'No access', requestId: 'a' } : { error_message: 'No access' };
      account.double.misbehave = (call) =>
        call === path ? { kind: 'status', status: 403, body } : undefined;
      await account.hurryDrivers();
      const failed = await eventually('the refusal is shown', async () => {
        const { items } = (await account.client.get(`/connections/${account.connectionId}/runs`)).body.data;
        return items.find(({ stream, state }: Json) => stream === 'drivers' && state === 'failed');
      });
      expect(failed.error).to.include('No access');
      await account.waitForStatus('active');
      await eventually('the next try is at the usual interval', async () => {
        return ((await account.readStream('drivers'))?.in_seconds ?? 0) > 60;
      });
      account.fleet.addVehicle();
      await account.hurry(['vehicles']);
      await account.waitForVehicles(account.fleet.vehicles.length);
    });

    it('the reports of a driver name the linked driver, also those of the last day before the link', async () => {
      const vehicle = account.fleet.addVehicle().id;
      const reporter = account.fleet.addDriver().id;
      await account.hurry(['vehicles']);
      await account.waitForVehicles(1);
      await account.readDrivers();
      const truck = await account.createTruckFor(vehicle);
      account.fleet.submitReport(vehicle, { driverId: reporter });
      account.fleet.submitReport(vehicle, { verdict: 'safe' });
      const list = async (): Promise<Json[]> =>
        (await account.client.get(`/inspections?truck_id=${truck}`)).body.data.items;
      const waitForDrivers = (wanted: (string | null)[]) =>
        eventually('the drivers are named', async () => {
          const found = (await list()).map(({ driver_id }) => driver_id);
          return found.length === wanted.length && wanted.every((id) => found.includes(id));
        });
      await account.hurry(['inspections']);
      await waitForDrivers([null, null]);
      const driver = (await account.linkDriver(reporter, { create: true })).body.driver_id;
      await waitForDrivers([driver, null]);
      account.fleet.submitReport(vehicle, { driverId: reporter, verdict: 'safe' });
      await account.hurry(['inspections']);
      await waitForDrivers([driver, driver, null]);
      await account.unlinkDriver(reporter);
      await account.hurry(['inspections']);
      await waitForDrivers([driver, driver, null]);
      // A mended link corrects the reports of the last day.
      const right = (await account.linkDriver(reporter, { create: true, name: 'Right' })).body.driver_id;
      await waitForDrivers([right, right, null]);
    });
  });
