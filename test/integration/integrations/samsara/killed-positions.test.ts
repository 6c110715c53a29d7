/**
 * Kills the worker that reads positions at the moments when a power failure would do the most
 * damage. Afterwards no position is lost, and none is older than before.
 */
import { expect } from 'chai';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { KillableWorkers } from '../../../support/vendors/killable-workers.js';
import { type TrackingAccount, TrackingStack } from '../../../support/vendors/telematics/tracking.js';

describe('positions whose worker is killed', () => {
  requireContracts();
  let tracking: TrackingStack;
  let account: TrackingAccount;
  let workers: KillableWorkers;
  let vehicle: string;
  let truck: string;

  before(async () => {
    tracking = await TrackingStack.start({ integrations: false });
    workers = new KillableWorkers(tracking.stack);
    await workers.start();
    const organisation = tracking.double.openOrganisation();
    vehicle = organisation.addVehicle().id;
    account = await tracking.createAccount({ organisation, settings: { poll_seconds: 30 } });
    truck = await account.createTruckFor(vehicle);
    await account.waitForPositions();
    await workers.stop();
  });
  afterEach(() => workers?.stop());
  after(async () => {
    await tracking?.stop();
    expect(tracking?.double.violations ?? []).to.deep.equal([]);
  });

  let lat = 41;
  const drive = () => {
    lat = Math.round((lat + 0.01) * 100) / 100;
    account.organisation.drive(vehicle, [lat, -73.7]);
    return lat;
  };

  for (const failpoint of ['before_page_stored', 'after_page_stored'])
    it(`the cursor and the newest position survive a worker that dies at ${failpoint}`, async () => {
      const before = await account.readStream();
      const dying = await workers.startProcess(failpoint);
      const first = drive();
      await account.hurry();
      await workers.replace(dying, account.tenant.id);
      const after = await account.readStream();
      if (failpoint === 'before_page_stored') expect(after?.cursor).to.equal(before?.cursor);
      else expect(Number(after?.cursor)).to.equal(Number(before?.cursor) + 1);
      await account.hurry();
      await account.waitForPlace(truck, first);
      const second = drive();
      await account.hurry();
      await account.waitForPlace(truck, second);
      const kept = await account.stack.rows(
        account.tenant.id,
        'select truck_id, count(*) from truck_positions where tenant_id = $1 group by truck_id, date_bin($2::interval, at, to_timestamp(0)) having count(*) > 1',
        [account.tenant.id, '30 seconds'],
      );
      expect(kept).to.deep.equal([]);
    });

  it('a page that a dead worker had read late writes no old position over a newer one', async () => {
    await workers.start();
    const newest = drive();
    await account.hurry();
    await account.waitForPlace(truck, newest);
    // The cursor of an earlier time: all samples come once more, the oldest ones first.
    await account.stack.rows(
      account.tenant.id,
      `update sync_states set cursor = '0' where tenant_id = $1 and stream = 'positions'`,
      [account.tenant.id],
    );
    tracking.double.pageSize = 1;
    await account.hurry();
    await account.waitForPositions();
    expect((await account.readTruck(truck)).location.lat).to.equal(newest);
    expect((await account.readStream())?.cursor).to.equal(String(account.organisation.samples.length));
  });
});
