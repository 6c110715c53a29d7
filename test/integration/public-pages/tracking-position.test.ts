import { expect } from 'chai';
import type { Json } from '../../support/client.js';
import { NORTH_OF_PICKUP, TrackedTow } from '../../support/public-pages/tracked-tow.js';
import { PROXIED_STACK, useStack, useTenant } from '../../support/use-stack.js';

const HIDDEN = { position: null, plan: null };

describe('position of the truck on the tracking page', () => {
  const stack = useStack(PROXIED_STACK);
  const tenant = useTenant(stack, 'Hudson Towing');

  let serial = 0;
  async function readPosition({ path }: TrackedTow): Promise<Json> {
    serial += 1;
    const headers = { 'x-forwarded-for': `10.9.${serial >> 8}.${serial & 255}` };
    const { texts, plan } = (await (await fetch(`${stack.origin}${path}/state`, { headers })).json()) as Json;
    return { position: texts.position, plan };
  }
  const change = (tow: TrackedTow, assignments: string) =>
    stack.rows(tenant.id, `update work_orders set ${assignments} where tenant_id = $1 and id = $2`, [
      tenant.id,
      tow.id,
    ]);

  it('while the truck is on the way, the tracking page shows its distance and direction, and its place in the plan', async () => {
    const tow = await TrackedTow.book(tenant.client);
    await tow.depart();
    await tow.locate(NORTH_OF_PICKUP);
    const { position, plan } = await readPosition(tow);
    expect(position).to.equal('The truck is about 6.9 miles north of your vehicle, in a straight line.');
    expect(plan.x).to.equal(80);
    expect(plan.y).to.be.within(14, 64);
    const html = await (await fetch(`${stack.origin}${tow.path}`)).text();
    expect(html).to.include(`translate(80 ${plan.y})`).and.to.include(position);
  });

  it('the tracking page shows no position before the truck leaves, and none from its arrival on', async () => {
    const later: string[][] = [
      [],
      ['acknowledged'],
      ['en_route', 'on_scene'],
      ['en_route', 'hooked'],
      ['en_route', 'towing'],
      ['en_route', 'at_destination'],
      ['en_route', 'cleared'],
    ];
    for (const steps of later) {
      const tow = await TrackedTow.book(tenant.client);
      await tow.assign();
      for (const step of steps) await tow.log(step);
      await tow.locate(NORTH_OF_PICKUP);
      expect(await readPosition(tow), steps.join()).to.deep.equal(HIDDEN);
    }
    for (const [action, input] of [
      ['complete', {}],
      ['cancel', { reason: 'customer' }],
    ] as const) {
      const tow = await TrackedTow.book(tenant.client);
      await tow.depart();
      await tow.locate(NORTH_OF_PICKUP);
      await tow.act(action, input);
      expect(await readPosition(tow), action).to.deep.equal(HIDDEN);
    }
  });

  it('the tracking page shows no position that the truck reported before it left for this motorist', async () => {
    const assignedLater = await TrackedTow.book(tenant.client);
    await assignedLater.locate(NORTH_OF_PICKUP);
    await assignedLater.depart();
    expect(await readPosition(assignedLater)).to.deep.equal(HIDDEN);
    const leftLater = await TrackedTow.book(tenant.client);
    await leftLater.assign();
    await leftLater.locate(NORTH_OF_PICKUP);
    await leftLater.log('en_route');
    expect(await readPosition(leftLater)).to.deep.equal(HIDDEN);
  });

  it('the tracking page shows no position of a truck that serves somebody else, or was replaced', async () => {
    const tow = await TrackedTow.book(tenant.client);
    await tow.depart();
    await tow.locate(NORTH_OF_PICKUP);
    // No command puts a truck on two work orders, but the page does not rely on that. So write the
    // row directly.
    const other = await TrackedTow.book(tenant.client);
    await change(other, `status = 'dispatched', truck_id = '${tow.truckId}'`);
    expect(await readPosition(tow)).to.deep.equal(HIDDEN);
    const replaced = await TrackedTow.book(tenant.client);
    await replaced.depart();
    await replaced.locate(NORTH_OF_PICKUP);
    await replaced.act('assign', { truck_id: other.truckId });
    await replaced.log('en_route');
    expect(await readPosition(replaced)).to.deep.equal(HIDDEN);
  });

  it('the tracking page says that an old position is old, and does not show it', async () => {
    const tow = await TrackedTow.book(tenant.client);
    await tow.assign();
    await change(tow, `dispatch_time = now() - interval '1 hour', status = 'in_progress'`);
    await tow.locate(NORTH_OF_PICKUP, new Date(Date.now() - 20.5 * 60_000));
    expect(await readPosition(tow)).to.deep.equal({
      position: 'The truck has not reported its position for 20 minutes.',
      plan: null,
    });
  });

  it('the tracking page shows no position if the pickup has no coordinates', async () => {
    const tow = await TrackedTow.book(tenant.client, { pickup: { address: '12 Elm Street' } });
    await tow.depart();
    await tow.locate(NORTH_OF_PICKUP);
    expect(await readPosition(tow)).to.deep.equal(HIDDEN);
  });
});
