import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { SseClient } from '../../../support/network/sse-client.js';
import { eventually } from '../../../support/poll.js';
import { TrackedTow } from '../../../support/public-pages/tracked-tow.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';

describe('positions from Samsara', () => {
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

  const drive = (lat: number, options = {}) => account.organisation.drive(vehicle, [lat, -73.7], options);
  const countAudits = async () => {
    const { body } = await account.client.get('/audit-log?limit=100');
    return body.data.items.length;
  };

  it('a position reaches the truck, the board, the stream and the tracking page within 2 s', async () => {
    const tow = await TrackedTow.book(account.client, {}, {});
    const towed = account.organisation.addVehicle();
    await account.hurry(['vehicles']);
    await account.waitForVehicles(2);
    expect((await account.link(towed.id, { truck_id: tow.truckId })).status).to.equal(200);
    await tow.depart();
    const stream = await SseClient.connect(account.stack.origin, account.client.key, {
      query: '?changes=true',
    });
    await eventually('the stream to begin', () => stream.lastEventId);
    const audits = await countAudits();
    const state = async () =>
      (await fetch(`${account.stack.origin}${tow.path}/state`)).json() as Promise<{ plan: unknown }>;
    expect((await state()).plan, 'before any position').to.equal(null);
    const { length } = tracking.double.listPolls(account.organisation);
    account.organisation.drive(towed.id, [40.8128, -74.006]);
    await account.hurry();
    await eventually(
      'the double is asked',
      () => tracking.double.listPolls(account.organisation).length > length,
    );
    const askedAt = Date.now();
    await eventually('the change is announced', () => stream.events.some(({ type }) => type === 'changed'));
    const location = await account.waitForPlace(tow.truckId, 40.8128);
    expect(location).to.include({ lng: -74.006, heading: 90, speed_mph: 31.5, stale: false });
    const { body: board } = await account.client.get('/dispatch-board');
    const shown = board.trucks.find(({ id }: { id: string }) => id === tow.truckId);
    expect(shown.location).to.deep.equal(location);
    await eventually('the tracking page shows it', async () => (await state()).plan !== null);
    expect(Date.now() - askedAt).to.be.below(2000);
    expect(await countAudits(), 'audit entries of positions').to.equal(audits);
    stream.close();
  });

  it('a poll of several pages is announced once, as positions alone', async () => {
    tracking.double.pageSize = 1;
    const stream = await SseClient.connect(account.stack.origin, account.client.key, {
      query: '?changes=true',
    });
    await eventually('the stream to begin', () => stream.lastEventId);
    for (const [index, lat] of [42.1, 42.2, 42.3].entries()) drive(lat, { secondsAgo: 3 - index });
    await account.hurry();
    await account.waitForPlace(truck, 42.3);
    await eventually('the change is announced', () => stream.events.length > 0);
    await pause(700);
    expect(stream.events.map(({ type, body }) => [type, body])).to.deep.equal([
      ['changed', { only: 'positions' }],
    ]);
    stream.close();
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

  it('a link brings the last known position of a vehicle that stands still', async () => {
    const other = account.organisation.addVehicle();
    account.organisation.drive(other.id, [42.5, -73.5], { secondsAgo: 600 });
    await account.hurry(['vehicles', 'positions']);
    await account.waitForVehicles(2);
    await eventually('the vehicle was polled', async () => (await account.readStream())?.cursor === '1');
    const id = await account.createTruckFor(other.id);
    const location = await account.waitForPlace(id, 42.5);
    expect(location.stale).to.equal(true);
  });

  it('an older position than the stored one is dropped, also after a PATCH', async () => {
    drive(42.1);
    await account.hurry();
    await account.waitForPlace(truck, 42.1);
    drive(42.2, { secondsAgo: 60 });
    drive(42.3);
    drive(42.4, { secondsAgo: 30 });
    await account.hurry();
    await account.waitForPlace(truck, 42.3);
    const location = { lat: 1, lng: 2, at: new Date(Date.now() + 60_000).toISOString() };
    await account.client.patch(`/trucks/${truck}`, { location });
    drive(42.5);
    await account.hurry();
    await eventually('the samples were polled', async () => (await account.readStream())?.cursor === '5');
    expect((await account.readTruck(truck)).location.lat).to.equal(1);
  });

  it('a clock that is ahead at Samsara, and impossible places, keep no later position out', async () => {
    drive(42.1, { secondsAgo: -86_400 });
    drive(0, { longitude: 0 });
    await account.hurry();
    await account.waitForPlace(truck, 42.1);
    drive(42.2);
    await account.hurry();
    await account.waitForPlace(truck, 42.2);
  });

  it('pages that are empty although more follow do not end the read, and it goes on at the cursor', async () => {
    tracking.double.emptyPages = 3;
    tracking.double.pageSize = 1;
    await account.hurry();
    for (const [index, lat] of [42.1, 42.2, 42.3].entries()) drive(lat, { secondsAgo: 3 - index });
    await account.hurry();
    await account.waitForPlace(truck, 42.3, 10_000);
    expect((await account.readStream())?.cursor).to.equal('3');
  });

  it('the positions are read at the interval of the settings, otherwise by the number of open jobs', async () => {
    const waitFor = (seconds: number) =>
      eventually(`the next read is in ${seconds} s`, async () => {
        await account.hurry();
        const wait = (await account.readStream())?.in_seconds ?? 0;
        return wait > seconds - 1.5 && wait <= seconds;
      });
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

  it('reads by itself every five seconds, and logs one successful call a minute', async () => {
    const since = tracking.double.listPolls(account.organisation).length;
    drive(42.6);
    await account.waitForPlace(truck, 42.6, 8000);
    drive(42.7);
    await account.waitForPlace(truck, 42.7, 8000);
    const [first, second] = tracking.double.listPolls(account.organisation).slice(since).slice(-2);
    expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.within(4800, 7000);
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

  it('a vehicle whose link ended moves its truck no more', async () => {
    await account.unlink(vehicle);
    drive(42.9);
    await account.hurry();
    await eventually('the sample was polled', async () => (await account.readStream())?.cursor === '1');
    expect((await account.readTruck(truck)).location).to.equal(null);
  });

  it('two accounts of one organisation each move their own trucks', async () => {
    const other = await tracking.createAccount({ organisation: account.organisation });
    expect((await other.findVehicle(vehicle)).truck_id).to.equal(null);
    drive(42.1);
    await Promise.all([account.hurry(), other.hurry()]);
    await account.waitForPlace(truck, 42.1);
    await eventually('the sample was polled', async () => (await other.readStream())?.cursor === '1');
    expect((await other.client.get('/trucks')).body.data.items).to.deep.equal([]);
    const foreign = await other.link(vehicle, { truck_id: truck });
    expect(foreign.status).to.equal(400);
    const { status } = await other.client.get(`/connections/${account.connectionId}/vehicles`);
    expect(status).to.equal(404);
    const theirs = await other.createTruckFor(vehicle);
    await other.waitForPlace(theirs, 42.1);
    await other.unlink(vehicle);
    drive(42.2);
    await Promise.all([account.hurry(), other.hurry()]);
    await account.waitForPlace(truck, 42.2);
    expect((await other.readTruck(theirs)).location.lat).to.equal(42.1);
  });
});
