import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openStorage } from '../../shared/platform/storage/open-storage.js';
import { deleteDiscarded, deleteLeftBehind } from '../../workers/exports/cleaner.js';
import type { Json } from '../support/client.js';
import { csvRows, unzipped } from '../support/export-files.js';
import { orderExport } from '../support/exports.js';
import { eventually } from '../support/poll.js';
import { S3Server } from '../support/s3-server.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';
import { useCredentials } from './storage-fixture.js';

const FINAL = ['completed', 'failed', 'cancelled', 'expired'];

/** Exports of one account, written by the stack's own worker. */
function exportsOf({ client }: TestTenant) {
  const start = (order: object): Promise<Json> => orderExport(client, order);
  const ended = (id: string): Promise<Json> =>
    eventually('the end of an export', async () => {
      const { body } = await client.get(`/exports/${id}`);
      return FINAL.includes(body.status) && body;
    });
  const fetched = async (order: object): Promise<{ record: Json; file: Buffer }> => {
    const record = await ended((await start(order)).id);
    expect(record.status, JSON.stringify(record.error)).to.equal('completed');
    const response = await fetch(record.download_url);
    expect(response.status).to.equal(200);
    const file = Buffer.from(await response.arrayBuffer());
    expect(createHash('sha256').update(file).digest('hex')).to.equal(record.sha256);
    expect(response.headers.get('content-disposition')).to.include(record.file_name);
    return { record, file };
  };
  return { start, ended, fetched };
}

function behavesAsDeployed(environment: () => Promise<Record<string, string>>): void {
  let stack: TestStack;
  let tenant: TestTenant;
  let exports: ReturnType<typeof exportsOf>;

  before(async () => {
    stack = await TestStack.start({ exports: true, environment: await environment() });
    tenant = await stack.createTenant();
    exports = exportsOf(tenant);
    for (let nth = 0; nth < 5; nth += 1)
      expect((await tenant.client.post('/invoices', invoiceInput())).status).to.equal(201);
    const other = await stack.createTenant();
    expect((await other.client.post('/invoices', invoiceInput())).status).to.equal(201);
  });
  after(() => stack.stop());

  const listed = async (): Promise<Json[]> =>
    (await tenant.client.get('/invoices?limit=200')).body.data.items;

  it('are what the list shows, as CSV, JSON and NDJSON', async () => {
    const ids = (await listed()).map(({ id }) => id).reverse();
    const [csv, json, ndjson] = await Promise.all(
      ['csv', 'json', 'ndjson'].map((format) => exports.fetched({ resource: 'invoices', format })),
    );
    const texts = [csv, json, ndjson].map((one) => gunzipSync(one?.file as Buffer));
    expect(csvRows(texts[0] as Buffer).map(({ id }) => id)).to.deep.equal(ids);
    expect(JSON.parse(String(texts[1])).map(({ id }: Json) => id)).to.deep.equal(ids);
    const lines = String(texts[2]).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).to.deep.equal(ids);
    expect(csv?.record).to.include({ bytes: csv?.file.length, attempts: 1 });
    expect(csv?.record.progress).to.include({ rows: 5, bytes: csv?.file.length, percent: 100 });
    expect(csv?.record.files[0]).to.include({ name: 'invoices.csv', rows: 5 });
  });

  it('are everything in one zip, or one dump', async () => {
    const [zip, dump] = await Promise.all([
      exports.fetched({ resource: 'all', format: 'csv' }),
      exports.fetched({ resource: 'all', format: 'dump' }),
    ]);
    const files = unzipped(zip.file);
    expect([...files.keys()]).to.include.members(['invoices.csv', 'customers.csv', 'manifest.json']);
    expect(csvRows(files.get('invoices.csv') as Buffer)).to.have.length(5);
    const sql = gunzipSync(dump.file).toString();
    for (const { id } of await listed()) expect(sql).to.include(id);
    expect(dump.record.files.find(({ name }: Json) => name === 'invoices').rows).to.equal(5);
  });

  it('are one of an account after the other, each soon after the last', async () => {
    const started: Json[] = [];
    for (let nth = 0; nth < 6; nth += 1)
      started.push(await exports.start({ resource: 'customers', format: 'csv' }));
    const done = await Promise.all(started.map(({ id }) => exports.ended(id)));
    expect(done.map(({ status }) => status)).to.deep.equal(Array(6).fill('completed'));
    const times = done.map(({ started_at, completed_at }) => ({ started_at, completed_at }));
    for (const [nth, { started_at }] of times.slice(1).entries())
      expect(started_at >= times[nth]?.completed_at, JSON.stringify(times)).to.equal(true);
  });

  it('are told of by an event when they are done', async () => {
    const { record } = await exports.fetched({ resource: 'inspections', format: 'json' });
    const { body } = await tenant.client.get('/events?type=export.completed&limit=200');
    const event = body.data.items.find((one: Json) => one.data.object.id === record.id);
    expect(event.data.object).to.include({ status: 'completed', download_url: null, sha256: record.sha256 });
  });

  it('lose their files when they are deleted, and no other file', async () => {
    const [kept, deleted] = await Promise.all([
      exports.fetched({ resource: 'invoices', format: 'csv' }),
      exports.fetched({ resource: 'invoices', format: 'json' }),
    ]);
    const answer = await tenant.client.delete(`/exports/${deleted.record.id}`);
    expect(answer.body).to.include({ status: 'expired', download_url: null });
    const storage = openStorage(stack.runtime.config.exportStorage);
    expect(await deleteDiscarded(stack.runtime, storage)).to.be.at.least(1);
    expect(await storage.open(`${tenant.id}/${deleted.record.id}/1`)).to.equal(undefined);
    expect((await fetch(deleted.record.download_url)).status).to.equal(404);
    // Objects that no export knows go too; those that one shows stay, however old.
    const stray = await storage.create(`${tenant.id}/${kept.record.id}/7`, {
      contentType: 'text/csv',
      fileName: 'x.csv',
    });
    stray.stream.write('x');
    await stray.commit();
    expect(await deleteLeftBehind(stack.runtime, storage, new Date(Date.now() + 60_000))).to.equal(1);
    expect((await fetch(kept.record.download_url)).status).to.equal(200);
  });
}

describe('exports in a folder', () => {
  behavesAsDeployed(async () => ({}));
});

describe('exports in a bucket', () => {
  let server: S3Server;
  useCredentials();
  before(async () => {
    server = await S3Server.start();
  });
  after(() => server.stop());

  behavesAsDeployed(async () => ({
    STORAGE_URL: `s3://${server.bucket}/tow`,
    S3_ENDPOINT: server.endpoint,
  }));

  it('fail with the reason when there is no room, tell the account, and can be begun again', async () => {
    const environment = { STORAGE_URL: `s3://${server.bucket}/full`, S3_ENDPOINT: server.endpoint };
    const stack = await TestStack.start({ exports: true, environment });
    try {
      const tenant = await stack.createTenant();
      const exports = exportsOf(tenant);
      server.trouble = (request) =>
        request.startsWith('PUT') || request.startsWith('POST')
          ? { status: 507, code: 'InsufficientStorage' }
          : undefined;
      const { id } = await exports.start({ resource: 'customers', format: 'csv' });
      const failed = await exports.ended(id);
      expect([failed.status, failed.error.code]).to.deep.equal(['failed', 'storage_full']);
      const { body } = await tenant.client.get('/notices');
      expect(body.data.items[0]).to.include({ kind: 'export_failed', entity_id: id });
      server.trouble = () => undefined;
      expect((await tenant.client.post(`/exports/${id}/retry`, {})).status).to.equal(200);
      expect(await exports.ended(id)).to.include({ status: 'completed', attempts: 2, error: null });
    } finally {
      server.trouble = () => undefined;
      await stack.stop();
    }
  });
});
