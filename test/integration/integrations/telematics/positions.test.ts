import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { SseClient } from '../../../support/network/sse-client.js';
import { eventually } from '../../../support/poll.js';
import { TrackedTow } from '../../../support/public-pages/tracked-tow.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type TrackingAccount, useTrackingStack } from '../../../support/vendors/telematics/tracking.js';
import { labelOf, VENDOR_NAMES } from '../../../support/vendors/telematics/vendors.js';

for (const name of VENDOR_NAMES)
  describe(`positions from ${labelOf(name)}`, () => {
    requireContracts();
    const tracking = useTrackingStack();
    let account: TrackingAccount;
    let vehicle: string;
    let truck: string;

    beforeEach(async () => {
      ({ account, vehicle, truck } = await tracking.createTracked(name));
    });

    const drive = (lat: number, options = {}) => account.fleet.drive(vehicle, [lat, -73.7], options);
    const countAudits = async () => {
      const { body } = await account.client.get('/audit-log?limit=100');
      return body.data.items.length;
    };

    it('a position reaches the truck, the board, the stream and the tracking page', async () => {
      const tow = await TrackedTow.book(account.client, {}, {});
      const towed = account.fleet.addVehicle();
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
      const { length } = account.double.listPolls(account.fleet);
      account.fleet.drive(towed.id, [40.8128, -74.006]);
      await account.hurry();
      await eventually('the double is asked', () => account.double.listPolls(account.fleet).length > length);
      await eventually('the change is announced', () => stream.events.some(({ type }) => type === 'changed'));
      const location = await account.waitForPlace(tow.truckId, 40.8128);
      expect(location).to.include({ lng: -74.006, heading: 90, speed_mph: 31.5, stale: false });
      const { body: board } = await account.client.get('/dispatch-board');
      const shown = board.trucks.find(({ id }: { id: string }) => id === tow.truckId);
      expect(shown.location).to.deep.equal(location);
      await eventually('the tracking page shows it', async () => (await state()).plan !== null);
      expect(await countAudits(), 'audit entries of positions').to.equal(audits);
      stream.close();
    });

    it('a poll of several pages is announced once, as positions alone', async () => {
      account.double.pageSize = 1;
      const vehicles = [vehicle, account.fleet.addVehicle().id, account.fleet.addVehicle().id];
      await account.hurry(['vehicles']);
      await account.waitForVehicles(3);
      const trucks = [truck];
      for (const other of vehicles.slice(1)) trucks.push(await account.createTruckFor(other));
      await account.poll();
      const stream = await SseClient.connect(account.stack.origin, account.client.key, {
        query: '?changes=true',
      });
      await eventually('the stream to begin', () => stream.lastEventId);
      for (const one of vehicles) account.fleet.drive(one, [42.3, -73.7]);
      await account.hurry();
      for (const one of trucks) await account.waitForPlace(one, 42.3);
      await eventually('the change is announced', () => stream.events.length > 0);
      await pause(700);
      expect(stream.events.map(({ type, body }) => [type, body])).to.deep.equal([
        ['changed', { only: 'positions' }],
      ]);
      stream.close();
    });

    it('a link brings the last known position of a vehicle that stands still', async () => {
      const other = account.fleet.addVehicle();
      account.fleet.drive(other.id, [42.5, -73.5], { secondsAgo: 600 });
      await account.hurry(['vehicles', 'positions']);
      await account.waitForVehicles(2);
      await account.poll();
      const id = await account.createTruckFor(other.id);
      const location = await account.waitForPlace(id, 42.5);
      expect(location.stale).to.equal(true);
    });

    it('an older position than the stored one is dropped, also after a PATCH', async () => {
      drive(42.1);
      await account.hurry();
      await account.waitForPlace(truck, 42.1);
      drive(42.2, { secondsAgo: 60 });
      await account.poll();
      expect((await account.readTruck(truck)).location.lat).to.equal(42.1);
      drive(42.3);
      await account.hurry();
      await account.waitForPlace(truck, 42.3);
      const location = { lat: 1, lng: 2, at: new Date(Date.now() + 60_000).toISOString() };
      await account.client.patch(`/trucks/${truck}`, { location });
      drive(42.5);
      await account.poll();
      expect((await account.readTruck(truck)).location.lat).to.equal(1);
    });

    it('a clock that is ahead at the vendor, and impossible places, keep no later position out', async () => {
      drive(42.1, { secondsAgo: -86_400 });
      await account.hurry();
      const { at } = await account.waitForPlace(truck, 42.1);
      await account.poll();
      expect((await account.readTruck(truck)).location.at, 'after another poll').to.equal(at);
      drive(0, { lng: 0 });
      await account.poll();
      drive(42.2);
      await account.hurry();
      await account.waitForPlace(truck, 42.2);
    });

    it('a vehicle whose link ended moves its truck no more', async () => {
      await account.unlink(vehicle);
      drive(42.9);
      await account.poll();
      expect((await account.readTruck(truck)).location).to.equal(null);
    });

    it('two accounts of one fleet each move their own trucks', async () => {
      const other = await tracking.createAccount(name, { fleet: account.fleet });
      expect((await other.findVehicle(vehicle)).truck_id).to.equal(null);
      drive(42.1);
      await Promise.all([account.hurry(), other.hurry()]);
      await account.waitForPlace(truck, 42.1);
      await other.poll();
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
