/** Runs `tow trigger` and `tow listen` as a developer does, without a key or an address. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { TRIGGERABLE_TYPES } from '../../../bin/commands/trigger/recipes.js';
import { withFastClock } from '../../support/fast-clock.js';
import { eventually } from '../../support/poll.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { DeveloperMachine } from './developer-machine.js';

describe('tow trigger', function () {
  this.timeout(180_000);
  const stack = useStack({ clock: true });
  const tenant = useTenant(stack);

  /** Runs `work` on a machine with a demo.json, as `npm start` leaves it. */
  const withDemo = (work: (machine: DeveloperMachine) => Promise<void>) =>
    DeveloperMachine.run({}, async (machine) => {
      const keys = { api_key: tenant.client.key, sandbox_key: tenant.sandbox.key };
      const demo = { api_url: `${stack.origin}/v1`, tenants: [keys] };
      await writeFile(join(machine.dataDir, 'demo.json'), JSON.stringify(demo));
      await work(machine);
    });

  const readEvents = async (tenantId: string) => {
    const rows = await stack.rows<{ body: string }>(tenantId, 'select body from events');
    return rows.map(({ body }) => JSON.parse(body));
  };

  it('tow trigger causes each of the eight event types in the sandbox, where `tow listen --sandbox` sees it', () =>
    withDemo(async (machine) => {
      await machine.receiver.start();
      await machine.startListener('--sandbox');
      const runs = await withFastClock(stack, () =>
        Promise.all(TRIGGERABLE_TYPES.map((type) => machine.runJson('trigger', type))),
      );
      expect(runs.map(({ code }) => code)).to.deep.equal(TRIGGERABLE_TYPES.map(() => 0));
      expect(runs.map(({ out }) => out.data.type)).to.deep.equal(TRIGGERABLE_TYPES);
      // Wait, because the clock may still record more events about the new records.
      const recorded = await eventually('all of them are forwarded', async () => {
        const found = await readEvents(tenant.sandboxId);
        return machine.receiver.ids.length === found.length && found;
      });
      expect(recorded).to.deep.include.members(runs.map(({ out }) => out.data));
      expect(await readEvents(tenant.id)).to.deep.equal([]);
      expect(machine.receiver.ids).to.have.members(recorded.map(({ id }) => id));
    }));

  it('tow trigger changes the live account only with --live', () =>
    withDemo(async (machine) => {
      const live = ['--key', tenant.client.key];
      const agent = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['write_invoices_draft'] });
      const refused = await Promise.all([
        machine.runJson('trigger', 'invoice.created', ...live),
        machine.runJson('trigger', 'invoice.created', '--live', '--key', tenant.sandbox.key),
        machine.runJson('trigger', 'invoice.created', '--live', '--key', agent),
      ]);
      expect(refused.map(({ code }) => code)).to.deep.equal([2, 2, 2]);
      expect(refused[0]?.out.error.message).to.include('--live');
      expect(await readEvents(tenant.id)).to.deep.equal([]);
      const made = await machine.runJson('trigger', 'invoice.created', '--live');
      expect([made.code, made.out.data.environment]).to.deep.equal([0, 'live']);
    }));

  it('tow trigger lists the types that it can cause, and says where the operational types come from', () =>
    withDemo(async (machine) => {
      const [unknown, operational, noType] = await Promise.all([
        machine.runJson('trigger', 'invoice.lost'),
        machine.runJson('trigger', 'endpoint.disabled'),
        machine.runJson('trigger'),
      ]);
      expect([unknown.code, operational.code, noType.code]).to.deep.equal([2, 2, 2]);
      for (const type of TRIGGERABLE_TYPES) expect(unknown.out.error.message).to.include(type);
      expect(operational.out.error.message).to.include('/test');
    }));
});
