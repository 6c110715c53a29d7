import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { TrackedTow } from '../../../support/public-pages/tracked-tow.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import type { SamsaraDouble } from '../../../support/vendors/doubles/samsara/samsara-double.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';

/** What the worker does with positions of any vendor, and what only a feed of all samples has. */
describe('positions from a feed of samples', () => {
  requireContracts();
  const tracking = useTrackingStack();
  let account: TrackingAccount;
  let vehicle: string;
  let truck: string;

  beforeEach(async () => {
    const fleet = tracking.doubles.samsara.openFleet();
    vehicle = fleet.addVehicle().id;
    account = await tracking.createAccount('samsara', { fleet });
    truck = await account.createTruckFor(vehicle);
    await account.waitForPositions();
  });

  const drive = (lat: number, options = {}) => account.fleet.drive(vehicle, [lat, -73.7], options);

  it('samples of one page that come in any order leave the newest one', async () => {
    drive(42.1, { secondsAgo: 60 });
    drive(42.3);
    drive(42.2, { secondsAgo: 30 });
    await account.hurry();
    await account.waitForPlace(truck, 42.3);
  });

  it('a status is set with the If-Match from before a position', async () => {
    const { headers, body } = await account.client.get(`/trucks/${truck}`);
    drive(42.1);
    await account.hurry();
    await account.waitForPlace(truck, 42.1);
    const options = { headers: { 'if-match': String(headers.etag) } };
    const changed = await account.client.patch(`/trucks/${truck}`, { status: 'off_duty' }, options);
    expect(changed.status, changed.text).to.equal(200);
    expect(changed.body.updated_at).to.not.equal(body.updated_at);
    expect(changed.body.location.lat).to.equal(42.1);
    const stale = await account.client.patch(`/trucks/${truck}`, { status: 'available' }, options);
    expect(stale.status).to.equal(412);
  });

  it('pages that are empty although more follow do not end the read, and it goes on at the cursor', async () => {
    (account.double as SamsaraDouble).emptyPages = 3;
    account.double.pageSize = 1;
    await account.hurry();
    for (const [index, lat] of [42.1, 42.2, 42.3].entries()) drive(lat, { secondsAgo: 3 - index });
    await account.hurry();
    await account.waitForPlace(truck, 42.3, 10_000);
    expect((await account.readStream())?.cursor).to.equal('3');
  });

  it('the positions are read at the interval of the settings, otherwise by the number of open jobs', async () => {
    const waitFor = async (seconds: number) => {
      await account.hurry();
      await eventually(`the next read is in ${seconds} s`, async () => {
        const wait = (await account.readStream())?.in_seconds ?? 0;
        if (wait > seconds - 1.5 && wait <= seconds) return true;
        // The last read was planned before the change.
        if (wait > 0) await account.hurry();
        return false;
      });
    };
    await waitFor(5);
    const settings = (poll_seconds?: number) =>
      account.client.patch(`/connections/${account.connectionId}`, { settings: { poll_seconds } });
    expect((await settings(4)).status).to.equal(400);
    expect((await settings(31)).status).to.equal(400);
    await settings(20);
    await waitFor(20);
    await settings();
    await waitFor(30);
    await (await TrackedTow.book(account.client)).assign();
    await waitFor(15);
  });

  it('reads by itself, at most every five seconds, and logs one successful call a minute', async () => {
    const since = account.double.listPolls(account.fleet).length;
    drive(42.6);
    await account.waitForPlace(truck, 42.6);
    drive(42.7);
    await account.waitForPlace(truck, 42.7);
    const [first, second] = account.double.listPolls(account.fleet).slice(since).slice(-2);
    expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.at.least(4800);
    const { body } = await account.client.get(`/connections/${account.connectionId}/calls?limit=200`);
    const polls = body.data.items.filter(({ path }: { path: string }) => path.endsWith('/stats/feed'));
    expect(polls).to.have.length(1);
  });

  it('GET /trucks/{id}/positions lists one position per 30 seconds, newest first', async () => {
    const minute = Math.floor(Date.now() / 60_000) * 60_000;
    const at = (ms: number) => ({ time: new Date(minute - 600_000 + ms).toISOString() });
    for (const [index, ms] of [0, 5000, 29_000, 30_000, 61_000].entries()) drive(42 + index / 100, at(ms));
    drive(41, { time: new Date(minute - 20 * 86_400_000).toISOString() });
    await account.hurry();
    await account.waitForPlace(truck, 42.04);
    const list = async (query = '') =>
      (await account.client.get(`/trucks/${truck}/positions${query}`)).body.data;
    const { items } = await list();
    expect(items.map(({ lat }: { lat: number }) => lat)).to.deep.equal([42.04, 42.03, 42]);
    expect(items[0]).to.deep.include({ truck_id: truck, connection_id: account.connectionId, heading: 90 });
    const page = await list('?limit=1');
    expect((await list(`?limit=1&cursor=${page.cursor}`)).items[0].lat).to.equal(42.03);
    expect((await list(`?since=${new Date(minute - 560_000).toISOString()}`)).items).to.have.length(1);
    drive(42.05, at(62_000));
    await account.hurry();
    await account.waitForPlace(truck, 42.05);
    expect((await list()).items).to.have.length(3);
  });

  it('the report of a parked truck replaces a moving one of its half minute, also one of an earlier read', async () => {
    const start = Math.floor(Date.now() / 60_000) * 60_000 - 600_000;
    const report = async (second: number, mph: number) => {
      drive(42 + second / 100, { mph, time: new Date(start + second * 1_000).toISOString() });
      await account.hurry();
      await account.waitForPlace(truck, 42 + second / 100);
    };
    for (const [second, mph] of [
      [1, 30],
      [8, 1],
      [12, 0],
      [20, 30],
    ] as const)
      await report(second, mph);
    const { items } = (await account.client.get(`/trucks/${truck}/positions`)).body.data;
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ lat: 42.08, speed_mph: 1 });
    expect(items[0].at).to.equal(new Date(start + 8_000).toISOString());
  });

  it('a cursor that the vendor has forgotten begins anew with the latest positions', async () => {
    await account.stack.rows(
      account.tenant.id,
      `update sync_states set cursor = 'forgotten' where tenant_id = $1 and stream = 'positions'`,
      [account.tenant.id],
    );
    drive(42.4);
    await account.hurry();
    await account.waitForPlace(truck, 42.4);
    expect((await account.readStream())?.cursor).to.equal('1');
    account.double.violations.length = 0;
  });
});
