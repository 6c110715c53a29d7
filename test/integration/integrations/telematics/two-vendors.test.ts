import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';

describe('connections of two telematics vendors in one account', () => {
  requireContracts();
  const tracking = useTrackingStack();
  let samsara: TrackingAccount;
  let motive: TrackingAccount;
  /** The vehicles of both vendors that are one truck. */
  let vehicles: { samsara: string; motive: string };
  let truck: string;

  beforeEach(async () => {
    const fleets = {
      samsara: tracking.doubles.samsara.openFleet(),
      motive: tracking.doubles.motive.openFleet(),
    };
    vehicles = { samsara: fleets.samsara.addVehicle().id, motive: fleets.motive.addVehicle().id };
    samsara = await tracking.createAccount('samsara', { fleet: fleets.samsara });
    const { tenant } = samsara;
    motive = await tracking.createAccount('motive', { fleet: fleets.motive, tenant });
    truck = await samsara.createTruckFor(vehicles.samsara);
    expect((await motive.link(vehicles.motive, { truck_id: truck })).status).to.equal(200);
    await Promise.all([samsara.waitForPositions(), motive.waitForPositions()]);
  });

  const drive = (vendor: 'samsara' | 'motive', lat: number, secondsAgo = 0) =>
    (vendor === 'samsara' ? samsara : motive).fleet.drive(vehicles[vendor], [lat, -73.7], { secondsAgo });
  const readLat = async () => (await samsara.readTruck(truck)).location?.lat;

  it('of one truck at both vendors, the newer position wins, whichever is read first', async () => {
    drive('motive', 42.2, 10);
    await motive.poll();
    drive('samsara', 42.1, 30);
    await samsara.poll();
    expect(await readLat()).to.equal(42.2);
    drive('samsara', 42.3, 5);
    await samsara.poll();
    expect(await readLat()).to.equal(42.3);
    drive('motive', 42.4, 8);
    await motive.poll();
    expect(await readLat(), 'an older position of the other vendor').to.equal(42.3);
    drive('motive', 42.5);
    await motive.poll();
    expect(await readLat()).to.equal(42.5);
    const { body } = await samsara.client.get(`/trucks/${truck}/positions`);
    const slots = body.data.items.map(({ at }: Json) => Math.floor(Date.parse(at) / 30_000));
    expect(new Set(slots).size, 'one kept position per half minute').to.equal(slots.length);
  });

  it('a vendor that refuses its key stops nothing of the other one', async () => {
    motive.fleet.token = `${motive.fleet.token}-new`;
    await motive.hurry();
    await motive.waitForStatus('needs_reauth');
    drive('samsara', 42.1);
    await samsara.hurry();
    await samsara.waitForPlace(truck, 42.1);
    await samsara.waitForStatus('active');
  });

  it('an end of one link leaves the other one', async () => {
    await motive.unlink(vehicles.motive);
    drive('motive', 42.2);
    await motive.poll();
    expect(await readLat()).to.equal(undefined);
    drive('samsara', 42.1);
    await samsara.hurry();
    await samsara.waitForPlace(truck, 42.1);
    expect((await samsara.findVehicle(vehicles.samsara)).truck_id).to.equal(truck);
    expect((await motive.findVehicle(vehicles.motive)).truck_id).to.equal(null);
  });

  it('reports of both vendors about one truck are two inspections, and one is resolved alone', async () => {
    const reports = {
      samsara: samsara.fleet.submitReport(vehicles.samsara),
      motive: motive.fleet.submitReport(vehicles.motive),
    };
    await Promise.all([samsara.hurry(['inspections']), motive.hurry(['inspections'])]);
    const list = async (): Promise<Json[]> =>
      (await samsara.client.get(`/inspections?truck_id=${truck}`)).body.data.items;
    await eventually('both are there', async () => (await list()).length === 2);
    motive.fleet.resolve(reports.motive);
    await motive.hurry(['inspections']);
    const resolved = await eventually('one is resolved', async () => {
      const items = await list();
      return items.some(({ result }) => result === 'pass') && items;
    });
    const open = resolved.filter(({ result }) => result === 'out_of_service');
    expect(open.map(({ defects }) => defects[0].component)).to.deep.equal(['Reported unsafe (samsara)']);
  });
});
