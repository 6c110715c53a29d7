/**
 * Kills the worker that reads positions at the moments when a power failure would do the most
 * damage. Afterwards no position is lost, and none is older than before.
 */
import { expect } from 'chai';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { KillableWorkers } from '../../../support/vendors/killable-workers.js';
import { type TrackingAccount, TrackingStack } from '../../../support/vendors/telematics/tracking.js';
import { labelOf, VENDOR_NAMES } from '../../../support/vendors/telematics/vendors.js';

describe('positions whose worker is killed', () => {
  requireContracts();
  let tracking: TrackingStack;
  let workers: KillableWorkers;

  before(async () => {
    tracking = await TrackingStack.start({ integrations: false });
    workers = new KillableWorkers(tracking.stack);
  });
  afterEach(() => workers?.stop());
  after(async () => {
    await tracking?.stop();
    expect(tracking?.listViolations() ?? []).to.deep.equal([]);
  });

  for (const name of VENDOR_NAMES)
    describe(`of ${labelOf(name)}`, () => {
      let account: TrackingAccount;
      let vehicle: string;
      let truck: string;
      let lat = 41;

      before(async () => {
        await workers.start();
        const fleet = tracking.doubles[name].openFleet();
        vehicle = fleet.addVehicle().id;
        account = await tracking.createAccount(name, { fleet, settings: { poll_seconds: 30 } });
        truck = await account.createTruckFor(vehicle);
        await account.waitForPositions();
        await workers.stop();
      });

      const drive = () => {
        lat = Math.round((lat + 0.01) * 100) / 100;
        account.fleet.drive(vehicle, [lat, -73.7]);
        return lat;
      };
      const setCursor = (cursor: string | null | undefined) =>
        account.stack.rows(
          account.tenant.id,
          `update sync_states set cursor = $2 where tenant_id = $1 and stream = 'positions'`,
          [account.tenant.id, cursor],
        );

      for (const failpoint of ['before_page_stored', 'after_page_stored'])
        it(`the cursor and the newest position survive a worker that dies at ${failpoint}`, async () => {
          const before = await account.readStream();
          const dying = await workers.startProcess(failpoint);
          const first = drive();
          await account.hurry();
          await workers.replace(dying, account.tenant.id);
          const after = await account.readStream();
          if (failpoint === 'before_page_stored') expect(after?.cursor).to.equal(before?.cursor);
          else expect(after?.cursor).to.not.equal(before?.cursor);
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
        const early = await account.readStream();
        const newest = drive();
        await account.hurry();
        await account.waitForPlace(truck, newest);
        // The cursor of an earlier time: the samples since then come once more.
        await setCursor(early?.cursor);
        account.fleet.drive(vehicle, [40, -73.7], { secondsAgo: 90 });
        tracking.doubles[name].pageSize = 1;
        await account.poll();
        expect((await account.readTruck(truck)).location.lat).to.equal(newest);
        expect((await account.readStream())?.cursor).to.not.equal(early?.cursor);
      });
    });
});
