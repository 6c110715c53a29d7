import { expect } from 'chai';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { buildClockCommand } from '../../../shared/records/sweeps/clock-command.js';
import { type DrivenMiles, storeDrivenMiles } from '../../../shared/resources/work-orders/driven/command.js';
import { createDriveMeasurement } from '../../../workers/clock/measure-drives.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import { DrivenJob } from '../../support/driving/driven-jobs.js';
import { TOW_LEGS } from '../../support/driving/drives.js';
import { eventually } from '../../support/poll.js';
import { useOwnStack, useStack, useTenant } from '../../support/use-stack.js';
import { createBatchContext } from '../../support/writes/batch-context.js';
import { LIMITED_SWEEPS } from '../../support/writes/due-rows.js';

const TO_SCENE = TOW_LEGS.slice(0, 2);

describe('drives that are measured', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Measured Drives Towing');

  const readDue = async ({ id }: DrivenJob) => {
    const text = 'select drive_due_at from work_orders where tenant_id = $1 and id = $2';
    return (await stack.rows(tenant.id, text, [tenant.id, id]))[0]?.drive_due_at;
  };

  it('a truck with an odometer has driven miles by its readings', async () => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.storeDrive(TOW_LEGS, {});
    await job.logSteps({ hooked: 40, at_destination: 70 });
    await job.complete();
    expect((await job.measure()).driven).to.include({
      miles: 26,
      source: 'odometer',
      loaded_miles: 15.6,
      loaded_source: 'odometer',
    });
    const { body: truck } = await tenant.client.get(`/trucks/${job.truckId}`);
    expect(truck.odometer).to.deep.equal({
      miles: 48_026.2,
      source: 'obd',
      read_at: new Date(job.startMs + 80 * 60_000).toISOString(),
    });
  });

  it('an odometer in kilometres leaves the figures to the positions', async () => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.storeDrive(TOW_LEGS, { share: 1.609 });
    await job.logSteps({ hooked: 40, at_destination: 70 });
    await job.complete();
    expect((await job.measure()).driven).to.include({
      miles: 25,
      source: 'positions',
      loaded_miles: 15,
      loaded_source: 'positions',
    });
  });

  it('a measurement by a clock of an earlier version names no source, and replaces an earlier one', async () => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.storeDrive(TOW_LEGS, {});
    await job.complete();
    expect((await job.measure()).driven).to.include({ source: 'odometer' });
    const [due] = await stack.rows<{ due_at: string }>(
      tenant.id,
      'update work_orders set drive_due_at = now() where tenant_id = $1 and id = $2 returning drive_due_at::text as due_at',
      [tenant.id, job.id],
    );
    const driven = { miles: 25, coverage: 1, loaded_miles: null, loaded_coverage: null } as DrivenMiles;
    const target = { tenant_id: tenant.id, id: job.id, environment: 'live' } as const;
    const command = buildClockCommand(storeDrivenMiles, target, { due_at: due?.due_at as string, driven });
    const [stored] = await runIsolated(createBatchContext(stack.runtime), [command]);
    expect(stored?.ok).to.equal(true);
    expect((await job.read()).driven).to.include({ miles: 25, source: null, loaded_source: null });
  });

  it('a work order that is cancelled with its truck at the scene has the miles until then', async () => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.storeDrive(TO_SCENE, {});
    await job.logSteps({ en_route: 0, on_scene: 20 });
    await job.cancel(40);
    expect((await job.measure()).driven).to.include({
      miles: 10.4,
      coverage: 1,
      source: 'odometer',
      loaded_miles: null,
      loaded_source: null,
    });
  });

  it('a drive that a cancellation ends waits for a position from after it, as that of a completion does', async () => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.linkTruck();
    await job.logSteps({ en_route: 0 });
    await job.cancel(40, 'customer');
    await job.runClock(30);
    expect(await readDue(job), 'waits').to.not.equal(null);
    await job.storeDrive(TO_SCENE);
    await job.runClock(1);
    await eventually('it is measured', async () => (await readDue(job)) === null);
    expect((await job.read()).driven).to.include({ miles: 10, source: 'positions' });
  });

  it('a work order that is cancelled before its truck has left, or whose truck nobody tracks, is not measured', async () => {
    const waiting = await DrivenJob.dispatch(stack, tenant);
    await waiting.storeDrive(TO_SCENE);
    await waiting.logSteps({ acknowledged: 1 });
    await waiting.cancel(40, 'customer');
    expect(await readDue(waiting)).to.equal(null);
    const untracked = await DrivenJob.dispatch(stack, tenant);
    await untracked.logSteps({ en_route: 0 });
    await untracked.cancel(40, 'customer');
    expect(await readDue(untracked)).to.equal(null);
    const { body } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    await tenant.client.post(`/work-orders/${body.id}/cancel`, { reason: 'customer' });
    expect((await tenant.client.get(`/work-orders/${body.id}`)).body.driven).to.equal(null);
  });
});

describe('the budget of the measurement', () => {
  const stack = useOwnStack();

  it('one account with many drives keeps no other from being measured, however short a pass is', async () => {
    const { dueSql } = LIMITED_SWEEPS['of driven miles'] as { dueSql: string };
    const accounts = [await stack.createTenant(), await stack.createTenant(), await stack.createTenant()];
    for (const [index, { id }] of accounts.entries())
      await stack.rows(id, dueSql, [id, index === 0 ? 20 : 1]);
    const writes = openWritesQueue(stack.runtime);
    const measureOne = createDriveMeasurement(stack.runtime, writes, 0);
    const countDue = async () => {
      const text =
        'select count(*)::int as due from work_orders where tenant_id = $1 and drive_due_at is not null';
      const rows = accounts.map(({ id }) => stack.rows<{ due: number }>(id, text, [id]));
      return (await Promise.all(rows)).map(([row]) => row?.due ?? 0);
    };
    for (const left of [21, 20, 19]) {
      expect(await measureOne()).to.deep.equal({ measured: 1, isUnfinished: true });
      await eventually('it is stored', async () => {
        const sum = (await countDue()).reduce((all, due) => all + due, 0);
        return sum === left;
      });
    }
    expect(await countDue()).to.deep.equal([19, 0, 0]);
    const measureAll = createDriveMeasurement(stack.runtime, writes);
    await measureAll();
    await eventually('nothing is due', async () => (await countDue()).every((due) => due === 0));
  });
});
