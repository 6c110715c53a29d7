import type { Job } from 'bullmq';
import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import type { ClockJob } from '../../shared/queues/clock.js';
import { type ExportsQueue, openExportsQueue } from '../../shared/queues/exports.js';
import { openMessagesQueue } from '../../shared/queues/messages.js';
import { openWebhooksQueue } from '../../shared/queues/webhooks.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import {
  findDiscardedObjects,
  forgetObject,
  releaseExport,
} from '../../shared/resources/exports/run-store.js';
import { findDueExports } from '../../shared/resources/exports/sweeps.js';
import { purgeExpired } from '../../shared/resources/operations/store.js';
import { createClockProcessor } from '../../workers/clock/processor.js';
import { ExportAccount } from '../support/exports.js';
import { eventually } from '../support/poll.js';
import { SseClient } from '../support/sse-client.js';
import { WebhookBench } from './webhook-fixture.js';

const OVER = "lease_until = now() - interval '1 second'";

describe('runs of exports', () => {
  let bench: WebhookBench;
  let exports: ExportsQueue;

  before(async () => {
    bench = await WebhookBench.start();
    exports = openExportsQueue(bench.stack.runtime);
  });
  after(() => bench.stop());

  const open = async () => {
    const { id, client } = await bench.stack.createTenant();
    return new ExportAccount(bench.stack, id, client);
  };
  const inTransaction = <T>(
    { tenantId }: ExportAccount,
    work: Parameters<typeof bench.stack.runtime.db.transaction<T>>[1],
  ) => bench.stack.runtime.db.transaction([tenantId], work);
  const due = async (account: ExportAccount) =>
    (await inTransaction(account, findDueExports)).map(({ id }) => id);

  it('are told of when they are asked for, and begun again', async () => {
    const account = await open();
    const prompts = async () =>
      (await exports.getJobs(['waiting'])).filter(({ data }) => data.tenantId === account.tenantId);
    const { id } = await account.create();
    const [prompt] = await eventually('a prompt', async () => {
      const found = await prompts();
      return found.length > 0 && found;
    });
    expect(prompt?.data).to.deep.equal({ tenantId: account.tenantId, exportId: id });
    await prompt?.remove();
    await account.client.delete(`/exports/${id}`);
    await account.client.post(`/exports/${id}/retry`, {});
    await eventually('another prompt', async () => (await prompts()).length > 0);
  });

  it('belong to whoever takes them first, and to another when the lease is over', async () => {
    const account = await open();
    const { id } = await account.create({ resource: 'invoices', format: 'csv', bom: true });
    const owners = [newId(), newId()] as [string, string];
    const claims = await Promise.all(owners.map((owner) => account.claim(id, owner)));
    const won = claims.findIndex((claim) => claim !== undefined);
    expect(claims.filter((claim) => claim !== undefined)).to.have.length(1);
    expect(claims[won]).to.deep.include({
      ...{ id, tenantId: account.tenantId, resource: 'invoices', format: 'csv', bom: true, decimals: false },
      ...{
        attempts: 1,
        tries: 1,
        timeZone: 'America/New_York',
        environment: 'live',
        filters: {},
        include: [],
      },
    });
    await account.set(id, 'estimated_rows = 140');
    const [winner, loser] = won === 0 ? owners : [owners[1], owners[0]];
    expect(await account.renew(id, loser)).to.equal(false);
    expect(await account.renew(id, winner, { rows: 70, bytes: 4000 })).to.equal(true);
    const shown = await account.read(id);
    expect(shown).to.include({ status: 'running', attempts: 1 });
    expect(shown.started_at).to.be.a('string');
    expect(shown.progress).to.include({ rows: 70, bytes: 4000, percent: 50 });
    await account.renew(id, winner, { rows: 700, bytes: 40_000 });
    expect((await account.read(id)).progress.percent, 'not before it is whole').to.equal(99);

    await account.set(id, OVER);
    expect(await account.renew(id, winner), 'nobody else has come').to.equal(true);
    await account.set(id, OVER);
    expect((await account.claimed(id, loser)).attempts).to.equal(2);
    expect(await account.renew(id, winner)).to.equal(false);
    expect((await account.read(id)).progress).to.include({ rows: 0, bytes: 0 });
    await account.submit(account.completion(id, 1), account.failure(id, 1));
    expect((await account.read(id)).status).to.equal('running');
    await account.submit(account.completion(id, 2));
    expect((await account.read(id)).status).to.equal('completed');
  });

  it('are one at a time of an account, whoever asks; others of other accounts', async () => {
    const [account, other] = [await open(), await open()];
    const ids = [await account.create(), await account.create(), await account.create()].map(({ id }) => id);
    const claims = await Promise.all(ids.map((id) => account.claim(id)));
    const taken = claims.findIndex((claim) => claim !== 'busy');
    expect(claims.filter((claim) => claim === 'busy')).to.have.length(2);
    expect(await due(account)).to.deep.equal([]);
    await other.claimed((await other.create()).id);

    const rest = ids.filter((_, index) => index !== taken);
    // Its worker has died: it is the next, before those that were never begun.
    await account.set(ids[taken], OVER);
    expect(await due(account)).to.deep.equal([ids[taken]]);
    expect(await account.claim(rest[0])).to.equal('busy');
    await account.client.delete(`/exports/${ids[taken]}`);
    expect(await due(account)).to.deep.equal([rest[0]]);
    await account.claimed(rest[1]);
    expect(await account.claim(rest[0])).to.equal('busy');
  });

  it('are given back after what may pass, for later, and count as a try or not', async () => {
    const account = await open();
    const { id } = await account.create();
    const ref = { tenant_id: account.tenantId, id };
    const owner = newId();
    await account.claimed(id, owner);
    const release = (options: object, from = owner) =>
      inTransaction(account, (tx) => releaseExport(tx, ref, { owner: from, delayMs: 0, ...options }));
    expect(await release({}, newId())).to.equal(false);
    expect(await release({ delayMs: 60_000 })).to.equal(true);
    expect(await account.claim(id)).to.equal(undefined);
    expect(await due(account)).to.deep.equal([]);
    await account.set(id, OVER);
    expect(await account.claimed(id, owner)).to.include({ attempts: 2, tries: 2 });
    await release({ isTry: false });
    expect(await account.claimed(id, owner)).to.include({ attempts: 3, tries: 2 });
  });

  it('that are completed are an event: in the list, on the stream, at the endpoints', async () => {
    const hook = await bench.hook({ event_types: ['export.completed'] });
    const account = new ExportAccount(bench.stack, hook.tenantId, hook.client);
    const stream = await SseClient.connect(bench.stack.origin, hook.client.key);
    const completed = await account.completed();
    expect(completed).to.deep.include({
      ...{ status: 'completed', bytes: 200, sha256: 'a'.repeat(64), file_name: 'invoices-2026-11-22.csv.gz' },
      ...{ content_type: 'application/gzip', error: null },
    });
    expect(completed.progress).to.include({ rows: 3, bytes: 200, percent: 100 });
    expect(completed.files[0].sums).to.deep.equal({ total_cents: 300 });
    expect(Date.parse(completed.expires_at) - Date.parse(completed.completed_at)).to.equal(7 * 86_400_000);
    const [request] = await hook.receiver.waitFor(1);
    const { body } = await hook.client.get('/events?type=export.completed');
    const [event] = body.data.items;
    // An event lives longer than a link.
    const object = { ...completed, download_url: null, download_expires_at: null };
    expect(event.data).to.deep.equal({ object });
    expect(JSON.parse(String(request?.body))).to.deep.equal(event);
    await eventually('the stream tells', () => stream.events.some((one) => one.type === 'export.completed'));
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
    // A second copy of the command, as after a worker's death, tells it no second time.
    await account.submit(account.completion(completed.id, 1));
    expect((await hook.client.get('/events?type=export.completed')).body.data.count).to.equal(1);
  });

  it('that failed are told of in the notices', async () => {
    const account = await open();
    const { id } = await account.create({ resource: 'work_orders', format: 'json' });
    const { attempts } = await account.claimed(id);
    await account.submit(account.failure(id, attempts));
    const [notice] = (await account.client.get('/notices?kind=export_failed')).body.data.items;
    expect(notice).to.include({ entity_id: id, title: 'The export of work orders failed' });
    expect(notice.text).to.include('There was no room').and.include(`/v1/exports/${id}/retry`);
    expect((await account.client.get('/events?type=export.completed')).body.data.count).to.equal(0);
  });

  it('are watched by the clock: prompted, failed after five tries, expired when their days are over', async () => {
    const account = await open();
    const { runtime } = bench.stack;
    const lost = await account.create();
    await account.claimed(lost.id);
    await account.set(lost.id, 'tries = 5, attempts = 7');
    const waiting = await account.create();
    expect(await account.claim(waiting.id)).to.equal('busy');
    await account.set(lost.id, OVER);
    expect(await account.claim(lost.id)).to.equal(undefined);
    const clock = createClockProcessor(runtime, {
      writes: openWritesQueue(runtime),
      messages: openMessagesQueue(runtime),
      webhooks: openWebhooksQueue(runtime),
      exports,
    });
    const watch = () => clock({ name: 'watch-exports', data: {} } as Job<ClockJob>, '');
    await watch();
    await eventually('it has failed', async () => (await account.read(lost.id)).status === 'failed');
    expect((await account.read(lost.id)).error.code).to.equal('interrupted');

    const promptOf = async () =>
      (await exports.getJobs(['waiting'])).find(({ data }) => data.exportId === waiting.id);
    await (await promptOf())?.remove();
    await watch();
    await eventually('a prompt', promptOf);
    const { attempts } = await account.claimed(waiting.id);
    await account.submit(account.completion(waiting.id, attempts));
    await watch();
    await account.set(waiting.id, "expires_at = now() - interval '1 second'");
    await watch();
    await eventually('it is over', async () => (await account.read(waiting.id)).status === 'expired');
  });

  it('leave nothing behind: what is expired is deleted from storage, and the row after 90 days', async () => {
    const account = await open();
    const { id } = await account.completed();
    const discarded = async () => {
      const objects = await inTransaction(account, (tx) => findDiscardedObjects(tx, 10));
      return objects.map(({ tenant_id, id, object_key }) => ({ tenant_id, id, object_key }));
    };
    const old = "updated_at = now() - interval '91 days'";
    const purge = () => inTransaction(account, (tx) => purgeExpired(tx, 100));
    expect(await discarded()).to.deep.equal([]);
    await account.client.delete(`/exports/${id}`);
    const object = { tenant_id: account.tenantId, id, object_key: `${account.tenantId}/${id}/1` };
    expect(await discarded()).to.deep.equal([object]);
    await account.set(id, old);
    await purge();
    expect((await account.read(id)).status).to.equal('expired');
    await account.client.post(`/exports/${id}/retry`, {});
    expect(await discarded(), 'a new run does not keep the old object').to.deep.equal([object]);
    const { attempts } = await account.claimed(id);
    await account.submit(account.completion(id, attempts));
    await inTransaction(account, (tx) => forgetObject(tx, object));
    await account.client.delete(`/exports/${id}`);
    const [newer] = await discarded();
    expect(newer?.object_key).to.equal(`${account.tenantId}/${id}/2`);
    if (newer) await inTransaction(account, (tx) => forgetObject(tx, newer));
    expect(await discarded()).to.deep.equal([]);
    await account.set(id, "updated_at = now() - interval '89 days'");
    await purge();
    await account.read(id);
    await account.set(id, old);
    await purge();
    expect((await account.client.get(`/exports/${id}`)).status).to.equal(404);
  });
});
