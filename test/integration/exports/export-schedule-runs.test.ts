import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { enqueueBatch, openWritesQueue } from '../../../shared/queues/writes.js';
import type { Json } from '../../support/client.js';
import {
  addDays,
  createScheduleClock,
  formatDateIn,
  readHourIn,
  ScheduleAccount,
} from '../../support/exports/export-schedules.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

const NEW_YORK = 'America/New_York';

describe('export schedule runs', () => {
  const stack = useStack();
  let runClock: () => Promise<unknown>;

  before(async () => {
    runClock = createScheduleClock(stack);
  });

  const openAccount = async () => {
    const { id, client, sandbox, sandboxId } = await stack.createTenant();
    return Object.assign(new ScheduleAccount(stack, id, client), {
      sandbox: new ScheduleAccount(stack, sandboxId, sandbox),
    });
  };

  it('a due export schedule requests its export and moves to its next time', async () => {
    const account = await openAccount();
    const exportRequest = {
      resource: 'invoices',
      format: 'csv',
      include: ['payments'],
      bom: true,
      decimals: true,
      filters: { status: 'paid' },
      compression: 'gzip',
    };
    const { id } = await account.create(exportRequest);
    const early = await account.create();
    const due = await account.makeDue(id);
    await runClock();
    const updated = await account.waitForRun(id);
    const [created, ...more] = await account.listExports(id);
    expect(more).to.deep.equal([]);
    expect(created).to.deep.include({ ...exportRequest, status: 'queued', schedule_id: id });
    expect(created.progress.estimated_rows).to.be.a('number');
    expect(updated).to.deep.include({
      ...due,
      last_export_id: created.id,
      last_run_at: updated.last_run_at,
      next_run_at: updated.next_run_at,
      updated_at: updated.updated_at,
    });
    expect(readHourIn(NEW_YORK, updated.next_run_at)).to.equal(4);
    expect(Date.parse(updated.last_run_at)).to.be.within(Date.parse(due.next_run_at), Date.now());
    expect(await account.read(early.id)).to.deep.equal(early);
    expect(await account.listExports(early.id)).to.deep.equal([]);
    await runClock();
    expect(await account.listExports(id)).to.have.length(1);
  });

  it('the audit log records a scheduled run and its export as actions of the system', async () => {
    const account = await openAccount();
    const { id } = await account.create();
    await account.makeDue(id);
    await runClock();
    const { last_export_id } = await account.waitForRun(id);
    const [started] = await account.readAuditEntries(id);
    expect(started).to.deep.include({ action: 'export_schedule.started', outcome: 'ok', source: 'job' });
    expect(started.actor).to.deep.include({ type: 'system', name: 'clock' });
    expect(started.changes.map(({ field }: Json) => field)).to.deep.equal(['next_run_at', 'last_export_id']);
    const [created] = await account.readAuditEntries(last_export_id);
    expect(created).to.deep.include({ action: 'export.created', outcome: 'ok', source: 'job' });
    expect(created.changes).to.deep.include({ field: 'schedule_id', from: null, to: id });
  });

  it('an export schedule runs once per due time, even if the command is repeated', async () => {
    const account = await openAccount();
    const { id } = await account.create();
    const { next_run_at: dueAt } = await account.makeDue(id);
    const command = () => account.buildRunCommand(id, dueAt);
    const [first, second, third] = [command(), command(), command()];
    // The first two commands go in one batch, and the third in a later batch.
    await account.exports.submit(first, second);
    await account.exports.submit(third);
    // Enqueue the first command again, as after a lost reply.
    await enqueueBatch(openWritesQueue(stack.runtime), [first], null);
    await account.exports.submit(account.buildRunCommand(id, dueAt));
    expect(await account.listExports(id)).to.have.length(1);
    const started = (await account.readAuditEntries(id)).filter(
      ({ action }) => action === 'export_schedule.started',
    );
    expect(started.map(({ changes }) => changes.length).sort()).to.deep.equal([0, 0, 0, 2]);
  });

  it('a run does nothing if its schedule was disabled, moved or deleted in the meantime', async () => {
    const account = await openAccount();
    const ids: string[] = [];
    const commands = [];
    for (const _ of Array(3)) {
      const { id } = await account.create();
      const { next_run_at: dueAt } = await account.makeDue(id);
      ids.push(id);
      commands.push(account.buildRunCommand(id, dueAt));
    }
    const [disabled, moved, deleted] = ids as [string, string, string];
    await account.patch(disabled, { enabled: false });
    await account.patch(moved, { enabled: false });
    await account.patch(moved, { enabled: true });
    await account.client.delete(`/export-schedules/${deleted}`);
    await runClock();
    await account.exports.submit(...commands);
    for (const id of ids) expect(await account.listExports(id)).to.deep.equal([]);
    expect((await account.client.get('/exports')).body.data.count).to.equal(0);
  });

  it('one run makes up for all missed times and covers the whole missed period', async () => {
    const account = await openAccount();
    const { id } = await account.create({ hour: 0, period: 'previous', filters: { date_field: 'paid_at' } });
    const { next_run_at: dueAt } = await account.makeDue(id, '5 days');
    await runClock();
    const updated = await account.waitForRun(id);
    const created = await account.listExports(id);
    expect(created).to.have.length(1);
    const since = addDays(formatDateIn(NEW_YORK, dueAt), -1);
    const until = formatDateIn(NEW_YORK, updated.last_run_at);
    expect(created[0].filters).to.deep.equal({ date_field: 'paid_at', since, until });
    expect(Date.parse(updated.next_run_at) - Date.now()).to.be.within(0, 25 * 3_600_000);
  });

  it('a run is skipped with a notice while ten exports are unfinished, and runs at the next time', async () => {
    const account = await openAccount();
    const otherAccount = await openAccount();
    const { id } = await account.create({ period: 'previous' });
    const otherSchedule = await otherAccount.create();
    for (let count = 0; count < 10; count += 1) await account.exports.create();
    const due = await account.makeDue(id);
    await otherAccount.makeDue(otherSchedule.id);
    await runClock();
    const skipped = await account.waitForRun(id);
    expect(skipped).to.include({ last_run_at: null, last_export_id: null });
    expect(await account.listExports(id)).to.deep.equal([]);
    const [started] = await account.readAuditEntries(id);
    expect(started.changes.map(({ field }: Json) => field)).to.deep.equal(['next_run_at', 'skipped_run_at']);
    const [notice] = (await account.client.get('/notices?kind=export_skipped')).body.data.items;
    expect(notice).to.include({ entity_type: 'export_schedule', entity_id: id });
    const exportRequest = JSON.parse(notice.text.slice(notice.text.indexOf('{')));
    const day = formatDateIn(NEW_YORK, due.next_run_at);
    expect(exportRequest.filters).to.deep.equal({ since: addDays(day, -1), until: day });
    await otherAccount.waitForRun(otherSchedule.id);
    expect(await otherAccount.listExports(otherSchedule.id)).to.have.length(1);

    const [openExport] = (await account.client.get('/exports?limit=1')).body.data.items;
    await account.client.delete(`/exports/${openExport.id}`);
    expect((await account.client.post('/exports', exportRequest)).status).to.equal(202);
    await account.client.delete(
      `/exports/${(await account.client.get('/exports?limit=1')).body.data.items[0].id}`,
    );
    await account.makeDue(id);
    await runClock();
    await account.waitForRun(id);
    expect(await account.listExports(id)).to.have.length(1);
  });

  it('schedules of an account run until it has ten unfinished exports; only the rest are skipped', async () => {
    const account = await openAccount();
    for (let count = 0; count < 8; count += 1) await account.exports.create();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push((await account.create()).id);
    for (const id of ids) await account.makeDue(id);
    await runClock();
    for (const id of ids) await account.waitForRun(id);
    const createdCounts = (await Promise.all(ids.map((id) => account.listExports(id)))).map(
      (list) => list.length,
    );
    expect(createdCounts.sort()).to.deep.equal([0, 1, 1]);
    expect((await account.client.get('/notices?kind=export_skipped')).body.data.count).to.equal(1);
  });

  it('a run in the sandbox creates its export in the sandbox', async () => {
    const { sandbox, ...account } = await openAccount();
    const { id } = await sandbox.create();
    await sandbox.makeDue(id);
    await runClock();
    const { last_export_id } = await sandbox.waitForRun(id);
    expect((await sandbox.exports.read(last_export_id)).schedule_id).to.equal(id);
    expect((await account.client.get('/exports')).body.data.count).to.equal(0);
  });
});

describe('files of export schedules', () => {
  const stack = useStack({ exports: true });

  it('a scheduled export is in storage, recorded as an event, and has the rows of its period', async () => {
    const { id: tenantId, client } = await stack.createTenant();
    const account = new ScheduleAccount(stack, tenantId, client);
    const { id } = await account.create({ format: 'ndjson', period: 'previous' });
    const { next_run_at: dueAt } = await account.makeDue(id);
    const today = formatDateIn(NEW_YORK, dueAt);
    const midnight = `($2::date::timestamp at time zone '${NEW_YORK}')`;
    const moments = [-86_400_000, -86_400_001, -1, 0];
    for (const ms of moments) {
      const { body } = await client.post('/invoices', invoiceInput());
      const text = `update invoices set created_at = ${midnight} + $3 * interval '1 millisecond' where tenant_id = $1 and id = $4`;
      await stack.rows(tenantId, text, [tenantId, today, ms, body.id]);
    }
    await createScheduleClock(stack)();
    const { last_export_id } = await account.waitForRun(id);
    const completed = await eventually('the export to complete', async () => {
      const found = await account.exports.read(last_export_id);
      return found.status === 'completed' && found;
    });
    const file = await fetch(completed.download_url);
    const ids = gunzipSync(Buffer.from(await file.arrayBuffer()))
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    const listed = await client.get(`/invoices?since=${addDays(today, -1)}&until=${today}`);
    expect(ids).to.have.members(listed.body.data.items.map((invoice: Json) => invoice.id));
    // Usually two of the invoices are from the previous day. After a clock change, that day had 23
    // or 25 hours, so it may contain one or three of the invoices.
    expect(ids.length).to.be.within(1, 3);
    const [event] = (await client.get('/events?type=export.completed')).body.data.items;
    expect(event.data.object).to.include({ id: last_export_id, schedule_id: id });
  });
});
