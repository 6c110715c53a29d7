import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { enqueueBatch, openWritesQueue } from '../../shared/queues/writes.js';
import type { Json } from '../support/client.js';
import { clockOf, dayAfter, dayIn, hourIn, ScheduleAccount } from '../support/export-schedules.js';
import { eventually } from '../support/poll.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack } from '../support/stack.js';

const NEW_YORK = 'America/New_York';

describe('runs of export schedules', () => {
  let stack: TestStack;
  let tick: () => Promise<unknown>;

  before(async () => {
    stack = await TestStack.start({ clock: false });
    tick = clockOf(stack);
  });
  after(() => stack.stop());

  const open = async () => {
    const { id, client, sandbox, sandboxId } = await stack.createTenant();
    return Object.assign(new ScheduleAccount(stack, id, client), {
      sandbox: new ScheduleAccount(stack, sandboxId, sandbox),
    });
  };

  it('ask for what they were made for when they are due, and then are due at their next time', async () => {
    const account = await open();
    const order = {
      ...{ resource: 'invoices', format: 'csv', include: ['payments'], bom: true, decimals: true },
      ...{ filters: { status: 'paid' }, compression: 'gzip' },
    };
    const { id } = await account.create(order);
    const early = await account.create();
    const due = await account.due(id);
    await tick();
    const ran = await account.ran(id);
    const [made, ...more] = await account.made(id);
    expect(more).to.deep.equal([]);
    expect(made).to.deep.include({ ...order, status: 'queued', schedule_id: id });
    expect(made.progress.estimated_rows).to.be.a('number');
    expect(ran).to.deep.include({
      ...due,
      ...{ last_export_id: made.id, last_run_at: ran.last_run_at, next_run_at: ran.next_run_at },
      updated_at: ran.updated_at,
    });
    expect(hourIn(NEW_YORK, ran.next_run_at)).to.equal(4);
    expect(Date.parse(ran.last_run_at)).to.be.within(Date.parse(due.next_run_at), Date.now());
    expect(await account.read(early.id)).to.deep.equal(early);
    expect(await account.made(early.id)).to.deep.equal([]);
    await tick();
    expect(await account.made(id)).to.have.length(1);
  });

  it('are in the audit log as what the system did, the schedule and its export', async () => {
    const account = await open();
    const { id } = await account.create();
    await account.due(id);
    await tick();
    const { last_export_id } = await account.ran(id);
    const [started] = await account.audit(id);
    expect(started).to.deep.include({ action: 'export_schedule.started', outcome: 'ok', source: 'job' });
    expect(started.actor).to.deep.include({ type: 'system', name: 'clock' });
    expect(started.changes.map(({ field }: Json) => field)).to.deep.equal(['next_run_at', 'last_export_id']);
    const [created] = await account.audit(last_export_id);
    expect(created).to.deep.include({ action: 'export.created', outcome: 'ok', source: 'job' });
    expect(created.changes).to.deep.include({ field: 'schedule_id', from: null, to: id });
  });

  it('run once for a time, however often they are asked to', async () => {
    const account = await open();
    const { id } = await account.create();
    const { next_run_at: dueAt } = await account.due(id);
    const command = () => account.command(id, dueAt);
    const [first, second, third] = [command(), command(), command()];
    // In one batch, and in one that comes later.
    await account.exports.submit(first, second);
    await account.exports.submit(third);
    // The same command once more, as a queue that lost its answer gives it.
    await enqueueBatch(openWritesQueue(stack.runtime), [first], null);
    await account.exports.submit(account.command(id, dueAt));
    expect(await account.made(id)).to.have.length(1);
    const started = (await account.audit(id)).filter(({ action }) => action === 'export_schedule.started');
    expect(started.map(({ changes }) => changes.length).sort()).to.deep.equal([0, 0, 0, 2]);
  });

  it('do nothing for a schedule that was disabled, moved or deleted meanwhile', async () => {
    const account = await open();
    const ids: string[] = [];
    const commands = [];
    for (const _ of Array(3)) {
      const { id } = await account.create();
      const { next_run_at: dueAt } = await account.due(id);
      ids.push(id);
      commands.push(account.command(id, dueAt));
    }
    const [disabled, moved, deleted] = ids as [string, string, string];
    await account.patch(disabled, { enabled: false });
    await account.patch(moved, { enabled: false });
    await account.patch(moved, { enabled: true });
    await account.client.delete(`/export-schedules/${deleted}`);
    await tick();
    await account.exports.submit(...commands);
    for (const id of ids) expect(await account.made(id)).to.deep.equal([]);
    expect((await account.client.get('/exports')).body.data.count).to.equal(0);
  });

  it('make up for missed times once, and for all of the time that was missed', async () => {
    const account = await open();
    const { id } = await account.create({ hour: 0, period: 'previous', filters: { date_field: 'paid_at' } });
    const { next_run_at: dueAt } = await account.due(id, '5 days');
    await tick();
    const ran = await account.ran(id);
    const made = await account.made(id);
    expect(made).to.have.length(1);
    const since = dayAfter(dayIn(NEW_YORK, dueAt), -1);
    const until = dayIn(NEW_YORK, ran.last_run_at);
    expect(made[0].filters).to.deep.equal({ date_field: 'paid_at', since, until });
    expect(Date.parse(ran.next_run_at) - Date.now()).to.be.within(0, 25 * 3_600_000);
  });

  it('are skipped with a notice while ten exports are not finished, and come again the next time', async () => {
    const account = await open();
    const neighbour = await open();
    const { id } = await account.create({ period: 'previous' });
    const other = await neighbour.create();
    for (let count = 0; count < 10; count += 1) await account.exports.create();
    const due = await account.due(id);
    await neighbour.due(other.id);
    await tick();
    const skipped = await account.ran(id);
    expect(skipped).to.include({ last_run_at: null, last_export_id: null });
    expect(await account.made(id)).to.deep.equal([]);
    const [started] = await account.audit(id);
    expect(started.changes.map(({ field }: Json) => field)).to.deep.equal(['next_run_at', 'skipped_run_at']);
    const [notice] = (await account.client.get('/notices?kind=export_skipped')).body.data.items;
    expect(notice).to.include({ entity_type: 'export_schedule', entity_id: id });
    const order = JSON.parse(notice.text.slice(notice.text.indexOf('{')));
    const day = dayIn(NEW_YORK, due.next_run_at);
    expect(order.filters).to.deep.equal({ since: dayAfter(day, -1), until: day });
    await neighbour.ran(other.id);
    expect(await neighbour.made(other.id)).to.have.length(1);

    const [open1] = (await account.client.get('/exports?limit=1')).body.data.items;
    await account.client.delete(`/exports/${open1.id}`);
    expect((await account.client.post('/exports', order)).status).to.equal(202);
    await account.client.delete(
      `/exports/${(await account.client.get('/exports?limit=1')).body.data.items[0].id}`,
    );
    await account.due(id);
    await tick();
    await account.ran(id);
    expect(await account.made(id)).to.have.length(1);
  });

  it('leave out no schedule that finds a place, when several of an account are due', async () => {
    const account = await open();
    for (let count = 0; count < 8; count += 1) await account.exports.create();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await account.create()).id);
    for (const id of ids) await account.due(id);
    await tick();
    for (const id of ids) await account.ran(id);
    const made = (await Promise.all(ids.map((id) => account.made(id)))).map((list) => list.length);
    expect(made.sort()).to.deep.equal([0, 1, 1]);
    expect((await account.client.get('/notices?kind=export_skipped')).body.data.count).to.equal(1);
  });

  it('are of the twin that has the schedule', async () => {
    const { sandbox, ...account } = await open();
    const { id } = await sandbox.create();
    await sandbox.due(id);
    await tick();
    const { last_export_id } = await sandbox.ran(id);
    expect((await sandbox.exports.read(last_export_id)).schedule_id).to.equal(id);
    expect((await account.client.get('/exports')).body.data.count).to.equal(0);
  });
});

describe('what export schedules deliver', () => {
  let stack: TestStack;

  before(async () => {
    stack = await TestStack.start({ clock: false, exports: true });
  });
  after(() => stack.stop());

  it('is in storage, told of by an event, and the rows that the list has of these days', async () => {
    const { id: tenantId, client } = await stack.createTenant();
    const account = new ScheduleAccount(stack, tenantId, client);
    const { id } = await account.create({ format: 'ndjson', period: 'previous' });
    const { next_run_at: dueAt } = await account.due(id);
    const today = dayIn(NEW_YORK, dueAt);
    const midnight = `($2::date::timestamp at time zone '${NEW_YORK}')`;
    const moments = [-86_400_000, -86_400_001, -1, 0];
    for (const ms of moments) {
      const { body } = await client.post('/invoices', invoiceInput());
      const text = `update invoices set created_at = ${midnight} + $3 * interval '1 millisecond' where tenant_id = $1 and id = $4`;
      await stack.rows(tenantId, text, [tenantId, today, ms, body.id]);
    }
    await clockOf(stack)();
    const { last_export_id } = await account.ran(id);
    const done = await eventually('the export', async () => {
      const found = await account.exports.read(last_export_id);
      return found.status === 'completed' && found;
    });
    const file = await fetch(done.download_url);
    const ids = gunzipSync(Buffer.from(await file.arrayBuffer()))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    const listed = await client.get(`/invoices?since=${dayAfter(today, -1)}&until=${today}`);
    expect(ids).to.have.members(listed.body.data.items.map((invoice: Json) => invoice.id));
    // A day in which clocks change has another length: then the first of these moments is on another day.
    expect(ids.length).to.be.within(1, 3);
    const [event] = (await client.get('/events?type=export.completed')).body.data.items;
    expect(event.data.object).to.include({ id: last_export_id, schedule_id: id });
  });
});
