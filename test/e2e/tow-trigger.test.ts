/**
 * Runs `tow trigger` and `tow listen` as a developer does: with only the event type as argument.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { TRIGGERABLE } from '../../bin/commands/trigger/recipes.js';
import { hastenClock } from '../support/hasten-clock.js';
import { eventually } from '../support/poll.js';
import { TestStack, type TestTenant } from '../support/stack.js';
import { Desk } from './listen-fixture.js';

describe('tow trigger', function () {
  this.timeout(90_000);
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  /** A machine on which `npm start` has left its demo.json. */
  const withDemo = (work: (desk: Desk) => Promise<void>) =>
    Desk.run({}, async (desk) => {
      const keys = { api_key: tenant.client.key, sandbox_key: tenant.sandbox.key };
      const demo = { api_url: `${stack.origin}/v1`, tenants: [keys] };
      await writeFile(join(desk.dataDir, 'demo.json'), JSON.stringify(demo));
      await work(desk);
    });

  const eventsOf = async (tenantId: string) => {
    const rows = await stack.rows<{ body: string }>(tenantId, 'select body from events');
    return rows.map(({ body }) => JSON.parse(body));
  };

  it('tow trigger causes each of the eight event types in the sandbox, where `tow listen --sandbox` sees it', () =>
    withDemo(async (desk) => {
      await desk.receiver.start();
      await desk.listen('--sandbox');
      const runs = await hastenClock(stack, () =>
        Promise.all(TRIGGERABLE.map((type) => desk.json('trigger', type))),
      );
      expect(runs.map(({ code }) => code)).to.deep.equal(TRIGGERABLE.map(() => 0));
      expect(runs.map(({ out }) => out.data.type)).to.deep.equal(TRIGGERABLE);
      // The clock may still record further events about the new records.
      const recorded = await eventually('all of them are forwarded', async () => {
        const found = await eventsOf(tenant.sandboxId);
        return desk.receiver.ids.length === found.length && found;
      });
      expect(recorded).to.deep.include.members(runs.map(({ out }) => out.data));
      expect(await eventsOf(tenant.id)).to.deep.equal([]);
      expect(desk.receiver.ids).to.have.members(recorded.map(({ id }) => id));
    }));

  it('tow trigger changes the live account only with --live', () =>
    withDemo(async (desk) => {
      const live = ['--key', tenant.client.key];
      const agent = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['write_invoices_draft'] });
      const refused = await Promise.all([
        desk.json('trigger', 'invoice.created', ...live),
        desk.json('trigger', 'invoice.created', '--live', '--key', tenant.sandbox.key),
        desk.json('trigger', 'invoice.created', '--live', '--key', agent),
      ]);
      expect(refused.map(({ code }) => code)).to.deep.equal([2, 2, 2]);
      expect(refused[0]?.out.error.message).to.include('--live');
      expect(await eventsOf(tenant.id)).to.deep.equal([]);
      const made = await desk.json('trigger', 'invoice.created', '--live');
      expect([made.code, made.out.data.environment]).to.deep.equal([0, 'live']);
    }));

  it('tow trigger lists the types that it can cause, and says where the operational types come from', () =>
    withDemo(async (desk) => {
      const [unknown, operational, none] = await Promise.all([
        desk.json('trigger', 'invoice.lost'),
        desk.json('trigger', 'endpoint.disabled'),
        desk.json('trigger'),
      ]);
      expect([unknown.code, operational.code, none.code]).to.deep.equal([2, 2, 2]);
      for (const type of TRIGGERABLE) expect(unknown.out.error.message).to.include(type);
      expect(operational.out.error.message).to.include('/test');
    }));
});
