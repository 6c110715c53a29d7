import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';
import { labelOf, TRACKED_VENDORS, VENDOR_NAMES } from '../../../support/vendors/telematics/vendors.js';

const VIN = '1FVACWDT39HAJ3496';

for (const name of VENDOR_NAMES)
  describe(`vehicles of ${labelOf(name)}`, () => {
    requireContracts();
    const tracking = useTrackingStack();
    let account: TrackingAccount;

    beforeEach(async () => {
      account = await tracking.createAccount(name);
    });

    const addVehicle = async (members: object) => {
      const { id } = account.fleet.addVehicle(members);
      await account.hurry(['vehicles']);
      await account.waitForVehicles(account.fleet.vehicles.length);
      return id;
    };

    it(`GET /integrations describes ${labelOf(name)}, so that the dashboard can connect it`, async () => {
      const { body } = await account.client.get('/integrations');
      const { credentials_schema, settings_schema, ...rest } = body.data.items.find(
        ({ vendor }: { vendor: string }) => vendor === name,
      );
      expect(rest).to.include({ vendor: name, kind: 'telematics', auth: 'api_key', sign_in: false });
      expect(credentials_schema.required).to.deep.equal([TRACKED_VENDORS[name].tokenField]);
      expect(Object.keys(credentials_schema.properties)).to.deep.equal([
        TRACKED_VENDORS[name].tokenField,
        'webhook_secret',
      ]);
      expect(settings_schema.properties.poll_seconds).to.include({
        type: 'integer',
        minimum: 5,
        maximum: 30,
      });
    });

    it('GET /connections/{id}/vehicles lists all pages of the fleet, with what the vendor knows', async () => {
      account.double.pageSize = 2;
      const members = {
        vin: VIN,
        plate: 'TOW 1',
        make: 'Ford',
        model: 'F-450',
        year: '2021',
        pounds: 20_000,
      };
      for (let count = 0; count < 4; count++) account.fleet.addVehicle();
      const id = await addVehicle({ name: 'Heavy 1', ...members });
      expect(await account.findVehicle(id)).to.deep.include({
        connection_id: account.connectionId,
        name: 'Heavy 1',
        vin: VIN,
        plate: 'TOW 1',
        make: 'Ford',
        model: 'F-450',
        year: 2021,
        duty_class: name === 'samsara' ? 'medium' : null,
        truck_id: null,
        proposed_truck: null,
        removed_at: null,
      });
      expect((await account.client.get('/trucks')).body.data.items).to.deep.equal([]);
    });

    it('a truck is proposed by its VIN first and then by its unit number, and is not linked', async () => {
      const byVin = (
        await account.client.post('/trucks', { unit_number: 'A', duty_class: 'light', vin: VIN })
      ).body;
      const byNumber = (await account.client.post('/trucks', { unit_number: 'T-7', duty_class: 'light' }))
        .body;
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

    it('a vehicle that the vendor no longer lists disappears, unless it is linked', async () => {
      const [linked, free] = [await addVehicle({}), await addVehicle({})];
      await account.createTruckFor(linked);
      account.fleet.vehicles.length = 0;
      await account.hurry(['vehicles']);
      const [left] = await account.waitForVehicles(1);
      expect(left).to.include({ external_id: linked });
      expect(left?.removed_at).to.be.a('string');
      const rows = 'select external_id from connection_vehicles where tenant_id = $1';
      const stored = await account.stack.rows(account.tenant.id, rows, [account.tenant.id]);
      expect(stored).to.deep.equal([{ external_id: linked }]);
      account.fleet.addVehicle({ id: free });
      await account.hurry(['vehicles']);
      await account.waitForVehicles(2);
    });

    it('who connects the same fleet again keeps the links, but not one that was undone', async () => {
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
      await account.unlink(kept);
      account.fleet.vehicles.length = 0;
      await account.hurry(['vehicles']);
      await account.waitForVehicles(0);
      account.fleet.addVehicle({ id: kept });
      await account.hurry(['vehicles']);
      await account.waitForVehicles(1);
      expect((await account.findVehicle(kept)).truck_id, 'undone, and listed again').to.equal(null);
    });
  });
