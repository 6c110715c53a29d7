import { expect } from 'chai';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';
import { labelOf, VENDOR_NAMES } from '../../../support/vendors/telematics/vendors.js';

for (const name of VENDOR_NAMES)
  describe(`odometers from ${labelOf(name)}`, () => {
    requireContracts();
    const tracking = useTrackingStack();
    let account: TrackingAccount;
    let vehicle: string;
    let truck: string;

    beforeEach(async () => {
      ({ account, vehicle, truck } = await tracking.createTracked(name));
    });

    const drive = (lat: number, options: Parameters<TrackingAccount['fleet']['drive']>[2]) =>
      account.fleet.drive(vehicle, [lat, -73.7], options);
    const readOdometer = async () => (await account.readTruck(truck)).odometer;
    const readKept = () =>
      account.stack.rows(
        account.tenant.id,
        'select odometer_miles as miles, odometer_source as source from truck_positions where tenant_id = $1 and truck_id = $2 order by id',
        [account.tenant.id, truck],
      );

    it('a reading reaches the truck in miles, without a new version of it, and is kept with the position', async () => {
      const { odometer: before, updated_at } = await account.readTruck(truck);
      expect(before).to.equal(null);
      const { time } = drive(42.1, { odometerMiles: 48_210.4 });
      await account.poll();
      expect(await readOdometer()).to.deep.equal({ miles: 48_210.4, source: 'obd', read_at: time });
      expect((await account.readTruck(truck)).updated_at).to.equal(updated_at);
      expect(await readKept()).to.deep.equal([{ miles: 48_210.4, source: 'obd' }]);
      const { body: board } = await account.client.get('/dispatch-board');
      expect(board.trucks[0].odometer.miles).to.equal(48_210.4);
    });

    it("the vehicle's own reading counts before a calculated one, unless it is a day old", async () => {
      const { time } = drive(42.1, { odometerMiles: 48_210.4, calculatedMiles: 1_000.5, secondsAgo: 200 });
      await account.poll();
      drive(42.2, { calculatedMiles: 1_001.5, secondsAgo: 100 });
      await account.poll();
      expect(await readOdometer()).to.deep.equal({ miles: 48_210.4, source: 'obd', read_at: time });
      expect(await readKept()).to.deep.equal([
        { miles: 48_210.4, source: 'obd' },
        { miles: 1_001.5, source: 'gps' },
      ]);
      await account.stack.rows(
        account.tenant.id,
        "update trucks set odometer_read_at = odometer_read_at - interval '1 day' where tenant_id = $1 and id = $2",
        [account.tenant.id, truck],
      );
      drive(42.3, { calculatedMiles: 1_002.5 });
      await account.poll();
      expect(await readOdometer()).to.include({ miles: 1_002.5, source: 'gps' });
      drive(42.4, { odometerMiles: 48_213 });
      await account.poll();
      expect(await readOdometer()).to.include({ miles: 48_213, source: 'obd' });
    });

    it('a position without a reading, an older one and one that cannot be true leave the odometer as it is', async () => {
      drive(42.1, { odometerMiles: 48_210.4, secondsAgo: 90 });
      await account.poll();
      const odometer = await readOdometer();
      drive(42.2, { secondsAgo: 60 });
      drive(42.2, { odometerMiles: 48_000, secondsAgo: 100 });
      drive(42.2, { odometerMiles: 0, secondsAgo: 30 });
      drive(42.3, { odometerMiles: 99_999_999 });
      await account.poll();
      await account.waitForPlace(truck, 42.3);
      expect(await readOdometer()).to.deep.equal(odometer);
    });
  });

describe('the request for positions and odometers', () => {
  requireContracts();
  const tracking = useTrackingStack();

  it('asks Samsara for the three types that one request may name', async () => {
    const { account } = await tracking.createTracked('samsara');
    const types = account.double.listPolls(account.fleet).map(({ query }) => query.types);
    expect([...new Set(types)]).to.deep.equal(['gps,obdOdometerMeters,gpsOdometerMeters']);
  });
});
