import { expect } from 'chai';
import { DispatchBoardReader } from '../../../shared/resources/dispatch-board/board-reader.js';
import type { Json } from '../../support/client.js';
import { NORTH_OF_PICKUP, PICKUP, TrackedTow } from '../../support/public-pages/tracked-tow.js';
import { PROXIED_STACK, useStack, useTenant } from '../../support/use-stack.js';

const MINUTE = 60_000;
/** The estimate for a moving truck counts from its position, so it is the same in all reads. */
const DRIVING = { ...NORTH_OF_PICKUP, speed_mph: 30 };
/** 6.9 miles are 8.98 by road: 18 minutes at 30 mph, rounded up to five minutes. */
const FROM_NORTH = [17.9, 23] as const;

describe('the estimated arrival of a truck', () => {
  const stack = useStack(PROXIED_STACK);
  const tenant = useTenant(stack, 'Hudson Towing');

  const read = async ({ id }: { id: string }): Promise<Json> =>
    (await tenant.client.get(`/work-orders/${id}`)).body;
  const readBoard = async ({ id }: { id: string }): Promise<Json> => {
    const { body } = await tenant.client.get('/dispatch-board');
    return body.active_jobs.find((one: Json) => one.id === id);
  };
  let serial = 0;
  const readPage = async ({ path }: TrackedTow): Promise<Json> => {
    serial += 1;
    const headers = { 'x-forwarded-for': `10.8.${serial >> 8}.${serial & 255}` };
    return (await fetch(`${stack.origin}${path}/state`, { headers })).json() as Promise<Json>;
  };
  const minutesUntil = (at: string) => (Date.parse(at) - Date.now()) / MINUTE;

  it('GET /work-orders/{id}, the board and the tracking page show it while the truck is on the way', async () => {
    const tow = await TrackedTow.book(tenant.client);
    expect((await read(tow)).estimated_arrival_at).to.equal(null);
    const eta = new Date(Date.now() + 45 * MINUTE);
    await tow.depart(eta);
    await tow.locate(DRIVING);
    const { estimated_arrival_at: at, ...workOrder } = await read(tow);
    expect(minutesUntil(at)).to.be.within(...FROM_NORTH);
    expect(Date.parse(at) % (5 * MINUTE)).to.equal(0);
    expect(workOrder.eta).to.equal(eta.toISOString());
    const changed = await tenant.client.patch(`/work-orders/${tow.id}`, { notes: 'Call on arrival' });
    expect(changed.body.estimated_arrival_at).to.equal(at);
    expect((await readBoard(tow)).estimated_arrival_at).to.equal(at);
    const { estimate, texts } = await readPage(tow);
    expect(estimate).to.match(
      /^Estimated arrival: about (?:.+, )?\d+:\d[05] [AP]M \w+, (1[89]|2[0-3]) min from now\. .*without traffic\.$/,
    );
    expect(texts.eta).to.match(/^Expected at /);
    const html = await (await fetch(`${stack.origin}${tow.path}`)).text();
    expect(html).to.include('data-part="estimate">Estimated arrival: about ');
    // The board keeps the JSON of work orders that did not change. The estimate follows the truck.
    await tow.locate(PICKUP);
    expect(minutesUntil((await readBoard(tow)).estimated_arrival_at)).to.be.within(0.9, 2);
  });

  it('a dispatched work order has it for the dispatcher, but the motorist not before the truck leaves', async () => {
    const tow = await TrackedTow.book(tenant.client);
    await tow.assign();
    await tow.locate(NORTH_OF_PICKUP);
    expect(minutesUntil((await read(tow)).estimated_arrival_at)).to.be.within(...FROM_NORTH);
    expect((await readPage(tow)).estimate).to.equal(null);
  });

  it('it is null from the arrival on, without coordinates of the pickup, and with an old position', async () => {
    const arrived = await TrackedTow.book(tenant.client);
    await arrived.depart();
    await arrived.log('on_scene');
    const nowhere = await TrackedTow.book(tenant.client, { pickup: { address: '12 Elm Street' } });
    await nowhere.depart();
    const stale = await TrackedTow.book(tenant.client);
    await stale.depart();
    for (const tow of [arrived, nowhere]) await tow.locate(NORTH_OF_PICKUP);
    await stale.locate(NORTH_OF_PICKUP, new Date(Date.now() - 5.1 * MINUTE));
    const lost = await TrackedTow.book(tenant.client);
    await lost.depart();
    for (const tow of [arrived, nowhere, stale, lost]) {
      expect(await read(tow)).to.include({ estimated_arrival_at: null });
      expect(await readBoard(tow)).to.include({ estimated_arrival_at: null });
      expect(await readPage(tow)).to.include({ estimate: null });
    }
    await lost.locate(NORTH_OF_PICKUP);
    await lost.act('complete');
    expect(await read(lost)).to.include({ estimated_arrival_at: null });
  });

  it('the board of agents has it too', async () => {
    const tow = await TrackedTow.book(tenant.client);
    await tow.depart();
    await tow.locate(NORTH_OF_PICKUP);
    const board = await new DispatchBoardReader('agent').read(stack.runtime.db, tenant.id);
    const shown = (JSON.parse(board.toString()) as Json).active_jobs.find(({ id }: Json) => id === tow.id);
    expect(minutesUntil(shown.estimated_arrival_at)).to.be.within(...FROM_NORTH);
  });
});
