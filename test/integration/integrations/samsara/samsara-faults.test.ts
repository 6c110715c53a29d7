import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import type { Fault } from '../../../support/vendors/contracts/fault.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';

const FEED = 'GET /fleet/vehicles/stats/feed';

describe('Samsara: faults lose no position', () => {
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

  const drive = (lat: number) => account.organisation.drive(vehicle, [lat, -73.7]);

  /** Lets the next calls with this name meet a fault, and returns how many have met it. */
  function fail(name: string, fault: Fault, times = 1): () => number {
    let met = 0;
    tracking.double.misbehave = (called) => {
      if (called !== name || met >= times) return undefined;
      met += 1;
      return fault;
    };
    return () => met;
  }

  it('after a 429 with a fraction of a second, the next read waits no longer than usual', async () => {
    const met = fail(FEED, { kind: 'limit', seconds: 0.40235 });
    drive(42.1);
    await account.hurry();
    await eventually('the 429 is there', () => met() === 1);
    await account.waitForPlace(truck, 42.1, 8000);
    const { body } = await account.client.get(`/connections/${account.connectionId}/calls?limit=200`);
    const [refused] = body.data.items.filter(
      ({ response_status }: { response_status: number }) => response_status === 429,
    );
    expect(refused.path).to.equal('/fleet/vehicles/stats/feed');
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
      const before = tracking.double.listPolls(account.organisation).length;
      const met = fail(FEED, fault, times);
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
      const polls = tracking.double.listPolls(account.organisation).slice(before);
      expect(polls.filter(({ query }) => query.after === cursor).length).to.be.above(times);
    });

  it('a Samsara that fails on and on makes the connection failing, with a notice, and recovers', async () => {
    fail(FEED, { kind: 'status', status: 503 }, Number.POSITIVE_INFINITY);
    await eventually('the connection is failing', async () => {
      // Failures within pauses do not count, so this ends the waits but not the pauses.
      await account.stack.rows(
        account.tenant.id,
        `update sync_states set next_at = now() where tenant_id = $1 and stream = 'positions'`,
        [account.tenant.id],
      );
      const { body } = await account.client.get(`/connections/${account.connectionId}`);
      return body.status === 'failing';
    });
    const { body } = await account.client.get('/notices');
    expect(body.data.items.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['connection_failing']);
    tracking.double.misbehave = () => undefined;
    drive(42.3);
    await account.hurry();
    await account.waitForPlace(truck, 42.3);
    await account.waitForStatus('active');
  });

  it('a token that Samsara refuses needs a new one, with a notice, and nothing is lost meanwhile', async () => {
    drive(42.1);
    await account.hurry();
    await account.waitForPlace(truck, 42.1);
    const { organisation } = account;
    Object.assign(organisation, { apiToken: 'samsara_api_new' });
    drive(42.2);
    await account.hurry();
    const connection = await account.waitForStatus('needs_reauth');
    expect(connection.status_reason).to.match(/does not accept the credentials/);
    const { body } = await account.client.get('/notices');
    expect(body.data.items.map(({ kind }: { kind: string }) => kind)).to.deep.equal([
      'connection_needs_reauth',
    ]);
    const changed = await account.client.patch(`/connections/${account.connectionId}`, {
      credentials: { api_token: 'samsara_api_new' },
    });
    expect(changed.status).to.equal(200);
    await account.waitForStatus('active');
    await account.waitForPlace(truck, 42.2);
  });

  it('a token of another organisation is refused, so its vehicles never move these trucks', async () => {
    const other = tracking.double.openOrganisation();
    other.addVehicle({ id: vehicle });
    other.drive(vehicle, [10, 10]);
    await account.client.patch(`/connections/${account.connectionId}`, {
      credentials: { api_token: other.apiToken },
    });
    const { status_reason } = await account.waitForStatus('needs_reauth');
    expect(status_reason).to.match(/another account/);
    await account.hurry();
    await pause(1000);
    expect(tracking.double.listPolls(other)).to.deep.equal([]);
    expect((await account.readTruck(truck)).location).to.equal(null);
  });

  it('a cursor that Samsara has forgotten begins anew with the latest positions', async () => {
    await account.stack.rows(
      account.tenant.id,
      `update sync_states set cursor = 'forgotten' where tenant_id = $1 and stream = 'positions'`,
      [account.tenant.id],
    );
    drive(42.4);
    await account.hurry();
    await account.waitForPlace(truck, 42.4);
    expect((await account.readStream())?.cursor).to.equal('1');
    tracking.double.violations.length = 0;
  });

  it('a Samsara that hangs for one account delays no other account', async () => {
    const organisation = tracking.double.openOrganisation();
    const second = organisation.addVehicle().id;
    const other = await tracking.createAccount({ organisation });
    const theirs = await other.createTruckFor(second);
    await other.waitForPositions();
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const met = fail(FEED, { kind: 'hold', until });
    await account.hurry();
    await eventually('the call hangs', () => met() === 1);
    organisation.drive(second, [43, -73]);
    await other.hurry();
    await other.waitForPlace(theirs, 43, 5000);
    release();
  });

  it('a pause reads nothing, and its end brings what was missed', async () => {
    await account.client.post(`/connections/${account.connectionId}/pause`);
    const { length } = tracking.double.listPolls(account.organisation);
    drive(42.5);
    await account.hurry();
    await pause(1000);
    expect(tracking.double.listPolls(account.organisation)).to.have.length(length);
    expect((await account.readTruck(truck)).location).to.equal(null);
    await account.client.post(`/connections/${account.connectionId}/resume`);
    await account.waitForPlace(truck, 42.5, 10_000);
  });
});
