import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { DispatchBoardReader } from '../../../shared/resources/dispatch-board/board-reader.js';
import { keepPositions } from '../../../shared/resources/trucks/keep-positions.js';
import { moveTrucks } from '../../../shared/resources/trucks/positions.js';
import type { Json } from '../../support/client.js';
import { DriverClient, readDriverPath } from '../../support/public-pages/driven-job.js';
import { NORTH_OF_PICKUP, PICKUP, TrackedTow } from '../../support/public-pages/tracked-tow.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const MINUTE = 60_000;
/** Some 365 feet north of the pickup. */
const STANDING = { lat: PICKUP.lat + 0.001, lng: PICKUP.lng, speed_mph: 0 };
const ELSEWHERE = { ...NORTH_OF_PICKUP, speed_mph: 0 };

describe('the proposed step', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const read = async ({ id }: { id: string }): Promise<Json> =>
    (await tenant.client.get(`/work-orders/${id}`)).body;
  const propose = async (tow: TrackedTow) => (await read(tow)).proposed_step;
  const readBoard = async ({ id }: { id: string }): Promise<Json> =>
    (await tenant.client.get('/dispatch-board')).body.active_jobs.find((one: Json) => one.id === id);
  const depart = async (workOrder: Json = {}) => {
    const tow = await TrackedTow.book(tenant.client, workOrder);
    await tow.depart();
    return tow;
  };
  /** Stores a position as the worker does that reads it from a vendor. */
  const report = ({ truckId }: TrackedTow, place: typeof STANDING, atMs = Date.now()) => {
    const reports = [{ ...place, truck_id: truckId, heading: 0, at: new Date(atMs).toISOString() }];
    return stack.runtime.db.transaction([tenant.id], async (tx) => {
      await moveTrucks(tx, tenant.id, reports);
      const source = { tenantId: tenant.id, connectionId: newId() };
      keepPositions(tx, source, { reports, intervalMs: 30_000 });
    });
  };
  /** Moves the dispatch to an earlier time. */
  const dispatchEarlier = ({ id }: TrackedTow, minutes: number) =>
    stack.rows(
      tenant.id,
      `update work_orders set dispatch_time = dispatch_time - $3 * interval '1 minute' where tenant_id = $1 and id = $2`,
      [tenant.id, id, minutes],
    );

  it('GET /work-orders/{id}, writes and both boards propose on_scene once the truck stands at the pickup', async () => {
    const tow = await depart();
    await tow.locate(ELSEWHERE);
    expect(await read(tow)).to.include({ proposed_step: null });
    expect(await readBoard(tow)).to.include({ proposed_step: null });
    await tow.locate(STANDING);
    const { updated_at, step } = await read(tow);
    expect(await read(tow)).to.include({ proposed_step: 'on_scene' });
    // The board keeps the JSON of work orders that did not change. The proposal follows the truck.
    expect(await readBoard(tow)).to.include({ proposed_step: 'on_scene', step, updated_at });
    const board = await new DispatchBoardReader('agent').read(stack.runtime.db, tenant.id);
    const shown = (JSON.parse(board.toString()) as Json).active_jobs.find(({ id }: Json) => id === tow.id);
    expect(shown).to.include({ proposed_step: 'on_scene', step: 'en_route' });
    const changed = await tenant.client.patch(`/work-orders/${tow.id}`, { notes: 'Keys inside' });
    expect(changed.body.proposed_step).to.equal('on_scene');
    await tow.locate({ ...STANDING, speed_mph: 5 });
    expect(await readBoard(tow)).to.include({ proposed_step: null });
  });

  it("the driver's page says it in words, and nothing before and after", async () => {
    const tow = await depart();
    const page = new DriverClient(stack, await readDriverPath(tenant.client, tow.id));
    const readProposal = async () => (await page.get()).body.data.state.proposal;
    expect(await readProposal()).to.equal(null);
    await tow.locate(STANDING);
    expect(await readProposal()).to.deep.equal({ step: 'on_scene', text: 'You seem to be at the pickup.' });
    await tow.log('on_scene');
    expect(await readProposal()).to.equal(null);
  });

  it('it logs nothing by itself, and is null after each later step and the completion', async () => {
    const tow = await depart();
    await tow.locate(STANDING);
    expect(await propose(tow)).to.equal('on_scene');
    const { items } = (await tenant.client.get(`/work-orders/${tow.id}/steps`)).body.data;
    const logged = items.filter(({ action }: Json) => action === 'step_logged');
    expect(logged.map(({ step }: Json) => step)).to.deep.equal(['en_route']);
    for (const step of ['on_scene', 'hooked', 'towing', 'at_destination', 'cleared']) {
      await tow.log(step);
      expect(await propose(tow), step).to.equal(null);
      expect(await readBoard(tow), step).to.include({ proposed_step: null, step });
    }
    await tow.log('en_route');
    expect(await propose(tow)).to.equal('on_scene');
    await tow.act('complete');
    expect(await propose(tow)).to.equal(null);
  });

  it('a work order that was started counts as on the way, with and without the steps before', async () => {
    for (const step of [null, 'offered', 'acknowledged']) {
      const tow = await TrackedTow.book(tenant.client);
      await tow.assign();
      if (step) await tow.log(step);
      await tow.locate(STANDING);
      expect(await propose(tow), `${step}, dispatched`).to.equal(null);
      await tow.act('start');
      expect(await propose(tow), `${step}, started`).to.equal('on_scene');
    }
  });

  it('before it is on the way, a truck must have been elsewhere since it was assigned', async () => {
    const parked = await TrackedTow.book(tenant.client);
    await parked.assign();
    await dispatchEarlier(parked, 10);
    const [east, north] = [
      { ...STANDING, lng: PICKUP.lng + 0.006 },
      { ...STANDING, lat: PICKUP.lat + 0.006 },
    ];
    // It was elsewhere before the dispatch alone, and since then at another place of the yard.
    await report(parked, east, Date.now() - 12 * MINUTE);
    await report(parked, { ...STANDING, lat: PICKUP.lat + 0.004 }, Date.now() - 2 * MINUTE);
    await report(parked, STANDING);
    expect(await propose(parked)).to.equal(null);
    expect(await readBoard(parked)).to.include({ proposed_step: null });
    for (const elsewhere of [east, north]) {
      const tow = await TrackedTow.book(tenant.client);
      await tow.assign();
      await dispatchEarlier(tow, 10);
      await report(tow, elsewhere, Date.now() - 8 * MINUTE);
      await report(tow, STANDING);
      expect(await propose(tow)).to.equal('on_scene');
      expect(await readBoard(tow)).to.include({ proposed_step: 'on_scene', status: 'dispatched' });
    }
  });

  it('it is null with a position from before the assignment, an old one, none, and without coordinates', async () => {
    const early = await TrackedTow.book(tenant.client);
    await early.locate(STANDING);
    await early.depart();
    const stale = await depart();
    await dispatchEarlier(stale, 10);
    await stale.locate(STANDING, new Date(Date.now() - 5.1 * MINUTE));
    const lost = await depart();
    const nowhere = await depart({ pickup: { address: '12 Elm Street' } });
    await nowhere.locate(STANDING);
    const unmeasured = await depart();
    await unmeasured.locate({ lat: PICKUP.lat, lng: PICKUP.lng });
    for (const [name, tow] of Object.entries({ early, stale, lost, nowhere, unmeasured })) {
      expect(await propose(tow), name).to.equal(null);
      expect(await readBoard(tow), name).to.include({ proposed_step: null });
    }
  });

  describe('at the drop-off', () => {
    const DROPOFF = { lat: 40.7628, lng: -74.006 };
    const AT_DROPOFF = { ...STANDING, lat: DROPOFF.lat };
    /** Books a work order whose truck logged on_scene and these steps ten minutes ago. */
    const load = async (workOrder: Json = {}, steps = ['hooked']) => {
      const tow = await depart({ dropoff: { address: '9 Canal Street', ...DROPOFF }, ...workOrder });
      await dispatchEarlier(tow, 30);
      const at = new Date(Date.now() - 10 * MINUTE).toISOString();
      for (const step of ['on_scene', ...steps]) await tow.act('steps', { step, at });
      return tow;
    };

    it('GET /work-orders/{id}, both boards and the page propose at_destination, from hooked to at_destination', async () => {
      const tow = await load();
      const page = new DriverClient(stack, await readDriverPath(tenant.client, tow.id));
      await tow.locate(ELSEWHERE);
      expect(await propose(tow)).to.equal(null);
      await tow.locate(AT_DROPOFF);
      const shown = { proposed_step: 'at_destination', estimated_arrival_at: null };
      for (const step of ['hooked', 'towing']) {
        await tow.log(step);
        expect(await read(tow)).to.include({ ...shown, step });
        expect(await readBoard(tow)).to.include({ ...shown, step });
      }
      const board = await new DispatchBoardReader('agent').read(stack.runtime.db, tenant.id);
      expect(board.toString()).to.include('"proposed_step":"at_destination"');
      const readProposal = async () => (await page.get()).body.data.state.proposal;
      const text = 'You seem to be at the drop-off.';
      expect(await readProposal()).to.deep.equal({ step: 'at_destination', text });
      for (const step of ['at_destination', 'cleared']) {
        await tow.log(step);
        expect(await propose(tow), step).to.equal(null);
      }
      expect(await readProposal()).to.equal(null);
    });

    it('it is null before the vehicle is loaded, while the truck moves or is elsewhere, and without coordinates', async () => {
      const empty = await load({}, []);
      await empty.locate(AT_DROPOFF);
      const passing = await load();
      await passing.locate({ ...AT_DROPOFF, speed_mph: 5 });
      const away = await load();
      await away.locate({ ...AT_DROPOFF, lat: DROPOFF.lat + 0.0015 });
      const nowhere = await load({ dropoff: { address: '9 Canal Street' } });
      await nowhere.locate(AT_DROPOFF);
      const atPickup = await load();
      await atPickup.locate(STANDING);
      for (const [name, tow] of Object.entries({ empty, passing, away, nowhere, atPickup })) {
        expect(await propose(tow), name).to.equal(null);
        expect(await readBoard(tow), name).to.include({ proposed_step: null });
      }
    });

    it('the position must be from the time since the vehicle was loaded', async () => {
      const tow = await depart({ dropoff: DROPOFF });
      await tow.locate(AT_DROPOFF);
      await tow.log('hooked');
      expect(await propose(tow)).to.equal(null);
      await tow.locate(AT_DROPOFF);
      // A later step does not count as the time of loading.
      await tow.log('towing');
      expect(await propose(tow)).to.equal('at_destination');
    });

    it('with an unknown pickup, or one near the drop-off, the truck must have been elsewhere since it was loaded', async () => {
      const near = { lat: DROPOFF.lat - 0.004, lng: DROPOFF.lng + 0.004 };
      for (const pickup of [{ address: '12 Elm Street' }, near]) {
        const tow = await load({ pickup });
        await report(tow, ELSEWHERE, Date.now() - 12 * MINUTE);
        await report(tow, AT_DROPOFF);
        expect(await propose(tow), 'elsewhere before alone').to.equal(null);
        const driven = await load({ pickup });
        await report(driven, ELSEWHERE, Date.now() - 5 * MINUTE);
        await report(driven, AT_DROPOFF);
        expect(await propose(driven)).to.equal('at_destination');
        expect(await readBoard(driven)).to.include({ proposed_step: 'at_destination' });
      }
      const far = { lat: DROPOFF.lat, lng: DROPOFF.lng + 0.006 };
      const distant = await load({ pickup: far });
      await distant.locate(AT_DROPOFF);
      expect(await propose(distant)).to.equal('at_destination');
    });

    it('a step of an earlier assignment of the same truck does not count', async () => {
      const tow = await load({ pickup: { address: '12 Elm Street' } });
      await report(tow, ELSEWHERE, Date.now() - 5 * MINUTE);
      await tow.assign();
      await tow.log('hooked');
      await report(tow, AT_DROPOFF);
      expect(await propose(tow)).to.equal(null);
    });
  });
});
