import type { Job } from 'bullmq';
import { expect } from 'chai';
import { purgeExpired } from '../../../shared/operations/store.js';
import { newId } from '../../../shared/platform/ids.js';
import type { ClockJob } from '../../../shared/queues/clock.js';
import { type ExportsQueue, openExportsQueue } from '../../../shared/queues/exports.js';
import {
  clearObjectKey,
  findDiscardedObjects,
  releaseExport,
} from '../../../shared/resources/exports/run-store.js';
import { findDueExports } from '../../../shared/resources/exports/sweeps.js';
import { createClockProcessor } from '../../../workers/clock/processor.js';
import { ExportAccount } from '../../support/exports/exports.js';
import { SseClient } from '../../support/network/sse-client.js';
import { eventually } from '../../support/poll.js';
import { useWebhookBench } from '../webhooks/endpoints/webhook-fixture.js';

const LEASE_EXPIRED = "lease_until = now() - interval '1 second'";

describe('export runs', () => {
  const bench = useWebhookBench();
  let exports: ExportsQueue;

  before(async () => {
    exports = openExportsQueue(bench.stack.runtime);
  });

  const openAccount = async () => {
    const { id, client } = await bench.stack.createTenant();
    return new ExportAccount(bench.stack, id, client);
  };
  const inTransaction = <T>(
    { tenantId }: ExportAccount,
    work: Parameters<typeof bench.stack.runtime.db.transaction<T>>[1],
  ) => bench.stack.runtime.db.transaction([tenantId], work);
  const findDue = async (account: ExportAccount) =>
    (await inTransaction(account, findDueExports)).map(({ id }) => id);

  it('an export adds a wake-up job when it is requested and when it is retried', async () => {
    const account = await openAccount();
    const listWakeUpJobs = async () =>
      (await exports.getJobs(['waiting'])).filter(({ data }) => data.tenantId === account.tenantId);
    const { id } = await account.create();
    const [wakeUpJob] = await eventually('a wake-up job', async () => {
      const found = await listWakeUpJobs();
      return found.length > 0 && found;
    });
    expect(wakeUpJob?.data).to.deep.equal({ tenantId: account.tenantId, exportId: id });
    await wakeUpJob?.remove();
    await account.client.delete(`/exports/${id}`);
    await account.client.post(`/exports/${id}/retry`, {});
    await eventually('another wake-up job', async () => (await listWakeUpJobs()).length > 0);
  });

  it('an export has one worker at a time, and a second worker can lease it after the lease expires', async () => {
    const account = await openAccount();
    const { id } = await account.create({ resource: 'invoices', format: 'csv', bom: true });
    const owners = [newId(), newId()] as [string, string];
    const leases = await Promise.all(owners.map((owner) => account.lease(id, owner)));
    const winnerIndex = leases.findIndex((lease) => lease !== undefined);
    expect(leases.filter((lease) => lease !== undefined)).to.have.length(1);
    expect(leases[winnerIndex]).to.deep.include({
      id,
      tenantId: account.tenantId,
      resource: 'invoices',
      format: 'csv',
      bom: true,
      decimals: false,
      attempts: 1,
      tries: 1,
      timeZone: 'America/New_York',
      environment: 'live',
      filters: {},
      include: [],
    });
    await account.updateColumns(id, 'estimated_rows = 140');
    const [winner, loser] = winnerIndex === 0 ? owners : [owners[1], owners[0]];
    expect(await account.renew(id, loser)).to.equal(false);
    expect(await account.renew(id, winner, { rows: 70, bytes: 4000 })).to.equal(true);
    const shown = await account.read(id);
    expect(shown).to.include({ status: 'running', attempts: 1 });
    expect(shown.started_at).to.be.a('string');
    expect(shown.progress).to.include({ rows: 70, bytes: 4000, percent: 50 });
    await account.renew(id, winner, { rows: 700, bytes: 40_000 });
    expect((await account.read(id)).progress.percent, 'below 100 until the export is complete').to.equal(99);

    await account.updateColumns(id, LEASE_EXPIRED);
    expect(await account.renew(id, winner), 'no other worker has leased the export').to.equal(true);
    await account.updateColumns(id, LEASE_EXPIRED);
    expect((await account.leaseOrThrow(id, loser)).attempts).to.equal(2);
    expect(await account.renew(id, winner)).to.equal(false);
    expect((await account.read(id)).progress).to.include({ rows: 0, bytes: 0 });
    await account.submit(account.buildCompletion(id, 1), account.buildFailure(id, 1));
    expect((await account.read(id)).status).to.equal('running');
    await account.submit(account.buildCompletion(id, 2));
    expect((await account.read(id)).status).to.equal('completed');
  });

  it('one export of an account runs at a time, independent of other accounts', async () => {
    const [account, other] = [await openAccount(), await openAccount()];
    const ids = [await account.create(), await account.create(), await account.create()].map(({ id }) => id);
    const leases = await Promise.all(ids.map((id) => account.lease(id)));
    const leasedIndex = leases.findIndex((lease) => lease !== 'busy');
    expect(leases.filter((lease) => lease === 'busy')).to.have.length(2);
    expect(await findDue(account)).to.deep.equal([]);
    await other.leaseOrThrow((await other.create()).id);

    const rest = ids.filter((_, index) => index !== leasedIndex);
    // Expire the lease, as if the worker had died. The export is then due before all exports that
    // never started.
    await account.updateColumns(ids[leasedIndex], LEASE_EXPIRED);
    expect(await findDue(account)).to.deep.equal([ids[leasedIndex]]);
    expect(await account.lease(rest[0])).to.equal('busy');
    await account.client.delete(`/exports/${ids[leasedIndex]}`);
    expect(await findDue(account)).to.deep.equal([rest[0]]);
    await account.leaseOrThrow(rest[1]);
    expect(await account.lease(rest[0])).to.equal('busy');
  });

  it('a released export waits for its delay, and counts as a try only if isTry is true', async () => {
    const account = await openAccount();
    const { id } = await account.create();
    const ref = { tenant_id: account.tenantId, id };
    const owner = newId();
    await account.leaseOrThrow(id, owner);
    const release = (options: object, from = owner) =>
      inTransaction(account, (tx) => releaseExport(tx, ref, { owner: from, delayMs: 0, ...options }));
    expect(await release({}, newId())).to.equal(false);
    expect(await release({ delayMs: 60_000 })).to.equal(true);
    expect(await account.lease(id)).to.equal(undefined);
    expect(await findDue(account)).to.deep.equal([]);
    await account.updateColumns(id, LEASE_EXPIRED);
    expect(await account.leaseOrThrow(id, owner)).to.include({ attempts: 2, tries: 2 });
    await release({ isTry: false });
    expect(await account.leaseOrThrow(id, owner)).to.include({ attempts: 3, tries: 2 });
  });

  it('a completed export is an event in GET /events, on the stream and at webhook endpoints', async () => {
    const hook = await bench.createHook({ event_types: ['export.completed'] });
    const account = new ExportAccount(bench.stack, hook.tenantId, hook.client);
    const stream = await SseClient.connect(bench.stack.origin, hook.client.key);
    const completed = await account.createCompleted();
    expect(completed).to.deep.include({
      status: 'completed',
      bytes: 200,
      sha256: 'a'.repeat(64),
      file_name: 'invoices-2026-11-22.csv.gz',
      content_type: 'application/gzip',
      error: null,
    });
    expect(completed.progress).to.include({ rows: 3, bytes: 200, percent: 100 });
    expect(completed.files[0].sums).to.deep.equal({ total_cents: 300 });
    expect(Date.parse(completed.expires_at) - Date.parse(completed.completed_at)).to.equal(7 * 86_400_000);
    const [request] = await hook.receiver.waitFor(1);
    const { body } = await hook.client.get('/events?type=export.completed');
    const [event] = body.data.items;
    // The event omits the download link, because events are kept longer than the link is valid.
    const object = { ...completed, download_url: null, download_expires_at: null };
    expect(event.data).to.deep.equal({ object });
    expect(JSON.parse(String(request?.body))).to.deep.equal(event);
    await eventually('the event on the stream', () =>
      stream.events.some((one) => one.type === 'export.completed'),
    );
    stream.close();
    const changes = await bench.stack.rows<{ action: string; actor_type: string; source: string }>(
      account.tenantId,
      `select action, actor_type, source from audit_entries where tenant_id = $1 and entity_id = $2 order by id`,
      [account.tenantId, completed.id],
    );
    expect(changes).to.deep.equal([
      { action: 'export.created', actor_type: 'api_key', source: 'rest' },
      { action: 'export.completed', actor_type: 'system', source: 'job' },
    ]);
    // Submit the completion a second time, as after a worker's crash. The repeated completion must
    // record no second event.
    await account.submit(account.buildCompletion(completed.id, 1));
    expect((await hook.client.get('/events?type=export.completed')).body.data.count).to.equal(1);
  });

  it('a failed export creates a notice', async () => {
    const account = await openAccount();
    const { id } = await account.create({ resource: 'work_orders', format: 'json' });
    const { attempts } = await account.leaseOrThrow(id);
    await account.submit(account.buildFailure(id, attempts));
    const [notice] = (await account.client.get('/notices?kind=export_failed')).body.data.items;
    expect(notice).to.include({ entity_id: id, title: 'The export of work orders failed' });
    expect(notice.text).to.include('There was no room').and.include(`/v1/exports/${id}/retry`);
    expect((await account.client.get('/events?type=export.completed')).body.data.count).to.equal(0);
  });

  it('the clock wakes up waiting exports, fails an export after five tries and expires old ones', async () => {
    const account = await openAccount();
    const lost = await account.create();
    await account.leaseOrThrow(lost.id);
    await account.updateColumns(lost.id, 'tries = 5, attempts = 7');
    const waiting = await account.create();
    expect(await account.lease(waiting.id)).to.equal('busy');
    await account.updateColumns(lost.id, LEASE_EXPIRED);
    expect(await account.lease(lost.id)).to.equal(undefined);
    const clock = createClockProcessor(bench.stack.runtime);
    const watch = () => clock({ name: 'watch-exports', data: {} } as Job<ClockJob>, '');
    await watch();
    await eventually(
      'the lost export to fail',
      async () => (await account.read(lost.id)).status === 'failed',
    );
    expect((await account.read(lost.id)).error.code).to.equal('interrupted');

    const findWakeUpJob = async () =>
      (await exports.getJobs(['waiting'])).find(({ data }) => data.exportId === waiting.id);
    await (await findWakeUpJob())?.remove();
    await watch();
    await eventually('a wake-up job', findWakeUpJob);
    const { attempts } = await account.leaseOrThrow(waiting.id);
    await account.submit(account.buildCompletion(waiting.id, attempts));
    await watch();
    await account.updateColumns(waiting.id, "expires_at = now() - interval '1 second'");
    await watch();
    await eventually(
      'the export to expire',
      async () => (await account.read(waiting.id)).status === 'expired',
    );
  });

  it("the purge deletes an expired export's object from storage, and its row after 90 days", async () => {
    const account = await openAccount();
    const { id } = await account.createCompleted();
    const listDiscarded = async () => {
      const objects = await inTransaction(account, (tx) => findDiscardedObjects(tx, 10));
      return objects.map(({ tenant_id, id, object_key }) => ({ tenant_id, id, object_key }));
    };
    const OLD_ROW = "updated_at = now() - interval '91 days'";
    const purge = () => inTransaction(account, (tx) => purgeExpired(tx, 100));
    expect(await listDiscarded()).to.deep.equal([]);
    await account.client.delete(`/exports/${id}`);
    const object = { tenant_id: account.tenantId, id, object_key: `${account.tenantId}/${id}/1` };
    expect(await listDiscarded()).to.deep.equal([object]);
    await account.updateColumns(id, OLD_ROW);
    await purge();
    expect((await account.read(id)).status).to.equal('expired');
    await account.client.post(`/exports/${id}/retry`, {});
    expect(await listDiscarded(), 'a new run still discards the old object').to.deep.equal([object]);
    const { attempts } = await account.leaseOrThrow(id);
    await account.submit(account.buildCompletion(id, attempts));
    await inTransaction(account, (tx) => clearObjectKey(tx, object));
    await account.client.delete(`/exports/${id}`);
    const [newer] = await listDiscarded();
    expect(newer?.object_key).to.equal(`${account.tenantId}/${id}/2`);
    if (newer) await inTransaction(account, (tx) => clearObjectKey(tx, newer));
    expect(await listDiscarded()).to.deep.equal([]);
    await account.updateColumns(id, "updated_at = now() - interval '89 days'");
    await purge();
    await account.read(id);
    await account.updateColumns(id, OLD_ROW);
    await purge();
    expect((await account.client.get(`/exports/${id}`)).status).to.equal(404);
  });
});
