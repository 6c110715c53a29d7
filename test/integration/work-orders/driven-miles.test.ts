import { expect } from 'chai';
import type { Command } from '../../../shared/contracts/command.js';
import { newId } from '../../../shared/platform/ids.js';
import type { DrivenMilesEntry } from '../../../shared/resources/work-orders/driven/command.js';
import {
  type DueDrive,
  findDueDrives,
  measureDueDrive,
} from '../../../shared/resources/work-orders/driven/sweep.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import { DrivenJob, storeDrive } from '../../support/driving/driven-jobs.js';
import { TOW_LEGS } from '../../support/driving/drives.js';
import { eventually } from '../../support/poll.js';
import { createUser, openSession } from '../../support/records/sign-in.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { createBatchContext } from '../../support/writes/batch-context.js';

const STEPS = { en_route: 0, on_scene: 20, hooked: 40, towing: 41, at_destination: 70, cleared: 80 };

describe('driven miles of work orders', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Odometer Towing');

  it('the clock measures a completed work order once, from the positions and the steps', async () => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.storeDrive();
    await job.logSteps(STEPS);
    await job.complete(80, 12);
    const completed = await job.read();
    expect(completed).to.include({ driven: null, miles: 12 });
    const { driven, ...measured } = await job.measure();
    expect(driven.measured_at).to.match(/Z$/);
    expect(driven).to.deep.equal({
      miles: 25,
      coverage: 1,
      loaded_miles: 15,
      loaded_coverage: 1,
      measured_at: driven.measured_at,
      source: 'positions',
      loaded_source: 'positions',
    });
    expect(measured.miles, 'what the driver reported').to.equal(12);
    expect(measured.updated_at > completed.updated_at).to.equal(true);
    expect((await job.measure()).driven, 'once').to.deep.equal(driven);
    const { body } = await tenant.client.get('/work-orders?limit=1');
    expect(body.data.items[0].driven).to.deep.equal(driven);
  });

  it('without both steps, with both at one place, or with one logged while driving, there are no loaded miles', async () => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.storeDrive();
    await job.logSteps({ on_scene: 20, hooked: 40 });
    await job.complete();
    expect((await job.measure()).driven).to.include({ miles: 25, loaded_miles: null, loaded_coverage: null });
    const driving = await DrivenJob.dispatch(stack, tenant);
    await driving.storeDrive();
    await driving.logSteps({ hooked: 50, at_destination: 70 });
    await driving.complete();
    expect((await driving.measure()).driven, 'logged while driving').to.include({ loaded_miles: null });
    const late = await DrivenJob.dispatch(stack, tenant);
    await late.storeDrive();
    await late.logSteps({ hooked: 75, at_destination: 76 });
    await late.complete();
    expect((await late.measure()).driven).to.include({ miles: 25, loaded_miles: null });
  });

  it('positions before the dispatch, after the completion, and of other trucks and accounts do not count', async () => {
    const job = await DrivenJob.dispatch(stack, tenant, 200);
    const other = await stack.createTenant('Other Towing');
    const far = [{ minutes: 100, mph: 60 }];
    await storeDrive(stack, { tenantId: tenant.id, truckId: newId() }, { legs: far, startMs: job.startMs });
    await storeDrive(
      stack,
      { tenantId: other.id, truckId: job.truckId },
      { legs: far, startMs: job.startMs },
    );
    const around = [
      { minutes: 30, mph: 60 },
      { minutes: 10, mph: 30 },
      { minutes: 3, mph: 0 },
      { minutes: 10, mph: 30 },
      { minutes: 3, mph: 0 },
      { minutes: 60, mph: 60 },
    ];
    await storeDrive(
      stack,
      { tenantId: tenant.id, truckId: job.truckId },
      { legs: around, startMs: job.startMs - 30 * 60_000 },
    );
    await job.logSteps({ hooked: 12, at_destination: 23 });
    await job.complete(26);
    expect((await job.measure()).driven).to.include({ miles: 10, loaded_miles: 5 });
  });

  it('a truck that no vendor reports has no driven miles, and its work order keeps its version', async () => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await tenant.client.patch(`/trucks/${job.truckId}`, { location: { lat: 40, lng: -74 } });
    await job.complete();
    const { updated_at: before } = await job.read();
    const { driven, updated_at: after } = await job.measure();
    expect({ driven, after }).to.deep.equal({ driven: null, after: before });
  });

  it('reopening forgets the driven miles, and a late measurement does not bring them back', async () => {
    const user = await createUser(stack, tenant.id, { name: 'Dora Dispatcher', role: 'dispatcher' });
    const person = await openSession(stack, user);
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.storeDrive();
    await job.complete();
    const [late] = await stack.runtime.db.transaction([tenant.id], async (tx) => {
      await tx.query({
        text: `update work_orders set drive_due_at = now() - interval '1 minute' where id = '${job.id}'`,
      });
      const [due] = await findDueDrives(tx, 10);
      return [await measureDueDrive(tx, due as DueDrive)];
    });
    expect((late as Command<DrivenMilesEntry>).input.driven?.miles).to.equal(25);
    expect((await job.measure()).driven.miles).to.equal(25);
    expect((await person.post(`/work-orders/${job.id}/reopen`, {})).body.driven).to.equal(null);
    const [stored] = await runIsolated(createBatchContext(stack.runtime), [late as Command]);
    expect(stored?.ok).to.equal(true);
    expect((await job.measure()).driven).to.equal(null);
  });

  it('a drive whose positions come late is measured when they have come, or after an hour', async () => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.linkTruck();
    await job.complete();
    const values = [tenant.id, job.id];
    const readDue = async () =>
      (
        await stack.rows(
          tenant.id,
          'select drive_due_at from work_orders where tenant_id = $1 and id = $2',
          values,
        )
      )[0]?.drive_due_at;
    await job.runClock(30);
    expect(await readDue(), 'waits').to.not.equal(null);
    await job.storeDrive();
    await job.runClock(1);
    await eventually('it is measured', async () => (await readDue()) === null);
    expect((await job.read()).driven).to.include({ miles: 25 });
    const parked = await DrivenJob.dispatch(stack, tenant);
    await parked.storeDrive(TOW_LEGS.slice(0, 3));
    await parked.complete();
    expect((await parked.measure()).driven, 'silent since the arrival').to.include({ coverage: 0.87 });
  });
});
