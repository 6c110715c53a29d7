import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import type { Fault } from '../../../support/vendors/contracts/fault.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';
import { labelOf, TRACKED_VENDORS, VENDOR_NAMES } from '../../../support/vendors/telematics/vendors.js';

for (const name of VENDOR_NAMES)
  describe(`${labelOf(name)}: faults lose no position`, () => {
    const { pollCall } = TRACKED_VENDORS[name].createDouble();
    requireContracts();
    const tracking = useTrackingStack();
    let account: TrackingAccount;
    let vehicle: string;
    let truck: string;

    beforeEach(async () => {
      ({ account, vehicle, truck } = await tracking.createTracked(name));
    });

    const drive = (lat: number) => account.fleet.drive(vehicle, [lat, -73.7]);

    /** Lets the next calls with this name meet a fault, and returns how many have met it. */
    function fail(name: string, fault: Fault, times = 1): () => number {
      let met = 0;
      account.double.misbehave = (called) => {
        if (called !== name || met >= times) return undefined;
        met += 1;
        return fault;
      };
      return () => met;
    }

    it('after a 429 with a fraction of a second, the next read waits no longer than usual', async () => {
      const met = fail(pollCall, { kind: 'limit', seconds: 0.40235 });
      drive(42.1);
      await account.hurry();
      await eventually('the 429 is there', () => met() === 1);
      await account.waitForPlace(truck, 42.1, 8000);
      const { body } = await account.client.get(`/connections/${account.connectionId}/calls?limit=200`);
      const [refused] = body.data.items.filter(
        ({ response_status }: { response_status: number }) => response_status === 429,
      );
      expect(`GET ${refused.path}`).to.equal(pollCall);
      expect(await account.waitForStatus('active')).to.include({ status_reason: null });
    });

    for (const [label, fault, times] of [
      ['a 500', { kind: 'status', status: 500 }, 1],
      // A read is repeated at once on a new connection.
      ['connections that are cut', { kind: 'cut_after' }, 2],
      ['an answer that is no page', { kind: 'status', status: 200, body: { data: null } }, 1],
    ] as const)
      it(`after ${label}, the read goes on at its cursor`, async () => {
        drive(42.1);
        await account.hurry();
        await account.waitForPlace(truck, 42.1);
        const cursor = (await account.readStream())?.cursor;
        const before = account.double.listPolls(account.fleet).length;
        const met = fail(pollCall, fault, times);
        drive(42.2);
        await account.hurry();
        await eventually('the fault is there', () => met() === times);
        await eventually('the failure is stored', async () => {
          const { body } = await account.client.get(`/connections/${account.connectionId}/runs`);
          return body.data.items.some(
            ({ stream, state }: { stream: string; state: string }) =>
              stream === 'positions' && state === 'failed',
          );
        });
        expect((await account.readStream())?.cursor).to.equal(cursor);
        await account.hurry();
        await account.waitForPlace(truck, 42.2);
        const polls = account.double.listPolls(account.fleet).slice(before);
        expect(polls.length).to.be.above(times);
      });

    it('records that are none stop nothing, and are left out', async () => {
      const ids = [null, {}, 1.5, 'a\0b', 'x'.repeat(101)];
      account.double.badRecords = [
        ...[null, 5, 'text', [], {}],
        ...ids.flatMap((id) => [{ id, gps: [{}] }, { vehicle: { id } }, { inspection_report: { id } }]),
      ];
      drive(42.1);
      account.fleet.submitReport(vehicle);
      await account.hurry(['vehicles', 'positions', 'inspections']);
      await account.waitForPlace(truck, 42.1);
      await eventually('the report is there', async () => {
        const { body } = await account.client.get(`/inspections?truck_id=${truck}`);
        return body.data.items.length === 1;
      });
      await account.waitForVehicles(1);
      expect(await account.waitForStatus('active')).to.include({ status_reason: null });
      const { body } = await account.client.get(`/connections/${account.connectionId}/runs`);
      expect(body.data.items.filter(({ state }: { state: string }) => state === 'failed')).to.deep.equal([]);
    });

    it('a vendor that fails on and on makes its connection failing, with a notice, and recovers', async () => {
      fail(pollCall, { kind: 'status', status: 503 }, Number.POSITIVE_INFINITY);
      await eventually(
        'the connection is failing',
        async () => {
          // Failures within pauses do not count, so this ends the waits but not the pauses.
          await account.stack.rows(
            account.tenant.id,
            `update sync_states set next_at = now() where tenant_id = $1 and stream = 'positions'`,
            [account.tenant.id],
          );
          const { body } = await account.client.get(`/connections/${account.connectionId}`);
          return body.status === 'failing';
        },
        45_000,
      );
      const { body } = await account.client.get('/notices');
      expect(body.data.items.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['connection_failing']);
      account.double.misbehave = () => undefined;
      drive(42.3);
      await account.hurry();
      await account.waitForPlace(truck, 42.3);
      await account.waitForStatus('active');
    });

    it('a token that the vendor refuses needs a new one, with a notice, and nothing is lost meanwhile', async () => {
      drive(42.1);
      await account.hurry();
      await account.waitForPlace(truck, 42.1);
      account.fleet.token = `${account.fleet.token}-new`;
      drive(42.2);
      await account.hurry();
      const connection = await account.waitForStatus('needs_reauth');
      expect(connection.status_reason).to.match(/does not accept the credentials/);
      const { body } = await account.client.get('/notices');
      expect(body.data.items.map(({ kind }: { kind: string }) => kind)).to.deep.equal([
        'connection_needs_reauth',
      ]);
      const changed = await account.client.patch(`/connections/${account.connectionId}`, {
        credentials: { [account.vendor.tokenField]: account.fleet.token },
      });
      expect(changed.status).to.equal(200);
      await account.waitForStatus('active');
      await account.waitForPlace(truck, 42.2);
    });

    it('a token of another fleet is refused, so its vehicles never move these trucks', async () => {
      const other = account.double.openFleet();
      other.addVehicle({ id: vehicle });
      other.drive(vehicle, [10, 10]);
      await account.client.patch(`/connections/${account.connectionId}`, {
        credentials: { [account.vendor.tokenField]: other.token },
      });
      const { status_reason } = await account.waitForStatus('needs_reauth');
      expect(status_reason).to.match(/another account/);
      await account.hurry();
      await pause(1000);
      expect(account.double.listPolls(other)).to.deep.equal([]);
      expect((await account.readTruck(truck)).location).to.equal(null);
    });

    it('a vendor that hangs for one account delays no other account', async () => {
      const fleet = tracking.doubles[name].openFleet();
      const second = fleet.addVehicle().id;
      const other = await tracking.createAccount(name, { fleet });
      const theirs = await other.createTruckFor(second);
      await other.waitForPositions();
      let release = (): void => undefined;
      const until = new Promise<void>((resolve) => {
        release = resolve;
      });
      const met = fail(pollCall, { kind: 'hold', until });
      await account.hurry();
      await eventually('the call hangs', () => met() === 1);
      fleet.drive(second, [43, -73]);
      await other.hurry();
      await other.waitForPlace(theirs, 43, 5000);
      release();
    });

    it('a pause reads nothing, and its end brings what was missed', async () => {
      await account.client.post(`/connections/${account.connectionId}/pause`);
      const { length } = account.double.listPolls(account.fleet);
      drive(42.5);
      await account.hurry();
      await pause(1000);
      expect(account.double.listPolls(account.fleet)).to.have.length(length);
      expect((await account.readTruck(truck)).location).to.equal(null);
      await account.client.post(`/connections/${account.connectionId}/resume`);
      await account.waitForPlace(truck, 42.5, 10_000);
    });
  });
