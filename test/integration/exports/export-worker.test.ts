import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { openStorage } from '../../../shared/storage/open-storage.js';
import type { Storage } from '../../../shared/storage/storage.js';
import { deleteDiscardedFiles, deleteOrphanedObjects } from '../../../workers/exports/cleaner.js';
import type { Json } from '../../support/client.js';
import { parseCsv, unzip } from '../../support/exports/export-files.js';
import { requestExport } from '../../support/exports/exports.js';
import { S3Server } from '../../support/exports/s3-server.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import type { TestStack, TestTenant } from '../../support/stack.js';
import { useOwnStack, useStack } from '../../support/use-stack.js';
import { useAwsCredentials } from '../storage/storage-fixture.js';

const FINAL_STATUSES = ['completed', 'failed', 'cancelled', 'expired'];

/**
 * Returns functions that request exports of one account and wait for them. The stack's own worker
 * writes these exports.
 */
function createExportHelpers({ client }: TestTenant) {
  const start = (exportRequest: object): Promise<Json> => requestExport(client, exportRequest);
  const waitForEnd = (id: string): Promise<Json> =>
    eventually('the export to end', async () => {
      const { body } = await client.get(`/exports/${id}`);
      return FINAL_STATUSES.includes(body.status) && body;
    });
  const download = async (exportRequest: object): Promise<{ record: Json; file: Buffer }> => {
    const record = await waitForEnd((await start(exportRequest)).id);
    expect(record.status, JSON.stringify(record.error)).to.equal('completed');
    const response = await fetch(record.download_url);
    expect(response.status).to.equal(200);
    const file = Buffer.from(await response.arrayBuffer());
    expect(createHash('sha256').update(file).digest('hex')).to.equal(record.sha256);
    expect(response.headers.get('content-disposition')).to.include(record.file_name);
    return { record, file };
  };
  return { start, waitForEnd, download };
}

function testExportsWorker(stack: TestStack): void {
  let tenant: TestTenant;
  let exports: ReturnType<typeof createExportHelpers>;

  before(async () => {
    tenant = await stack.createTenant();
    exports = createExportHelpers(tenant);
    for (let nth = 0; nth < 5; nth += 1)
      expect((await tenant.client.post('/invoices', invoiceInput())).status).to.equal(201);
    const other = await stack.createTenant();
    expect((await other.client.post('/invoices', invoiceInput())).status).to.equal(201);
  });

  const listInvoices = async (): Promise<Json[]> =>
    (await tenant.client.get('/invoices?limit=200')).body.data.items;

  it('the exports worker writes the records of the REST list as CSV, JSON and NDJSON', async () => {
    const ids = (await listInvoices()).map(({ id }) => id).reverse();
    const [csv, json, ndjson] = await Promise.all(
      ['csv', 'json', 'ndjson'].map((format) => exports.download({ resource: 'invoices', format })),
    );
    const contents = [csv, json, ndjson].map((one) => gunzipSync(one?.file as Buffer));
    expect(parseCsv(contents[0] as Buffer).map(({ id }) => id)).to.deep.equal(ids);
    expect(JSON.parse(String(contents[1])).map(({ id }: Json) => id)).to.deep.equal(ids);
    const ndjsonLines = String(contents[2]).trimEnd().split('\n');
    expect(ndjsonLines.map((line) => JSON.parse(line).id)).to.deep.equal(ids);
    expect(csv?.record).to.include({ bytes: csv?.file.length, attempts: 1 });
    expect(csv?.record.progress).to.include({ rows: 5, bytes: csv?.file.length, percent: 100 });
    expect(csv?.record.files[0]).to.include({ name: 'invoices.csv', rows: 5 });
  });

  it('an export of everything is one zip or one SQL dump', async () => {
    const [zip, dump] = await Promise.all([
      exports.download({ resource: 'all', format: 'csv' }),
      exports.download({ resource: 'all', format: 'dump' }),
    ]);
    const files = unzip(zip.file);
    expect([...files.keys()]).to.include.members(['invoices.csv', 'customers.csv', 'manifest.json']);
    expect(parseCsv(files.get('invoices.csv') as Buffer)).to.have.length(5);
    const sql = gunzipSync(dump.file).toString();
    for (const { id } of await listInvoices()) expect(sql).to.include(id);
    expect(dump.record.files.find(({ name }: Json) => name === 'invoices').rows).to.equal(5);
  });

  it('exports of one account run one after another', async () => {
    const started: Json[] = [];
    for (let nth = 0; nth < 6; nth += 1)
      started.push(await exports.start({ resource: 'customers', format: 'csv' }));
    const ended = await Promise.all(started.map(({ id }) => exports.waitForEnd(id)));
    expect(ended.map(({ status }) => status)).to.deep.equal(Array(6).fill('completed'));
    const times = ended.map(({ started_at, completed_at }) => ({ started_at, completed_at }));
    for (const [nth, { started_at }] of times.slice(1).entries())
      expect(started_at >= times[nth]?.completed_at, JSON.stringify(times)).to.equal(true);
  });

  it('a completed export is recorded as an event without its download link', async () => {
    const { record } = await exports.download({ resource: 'inspections', format: 'json' });
    const { body } = await tenant.client.get('/events?type=export.completed&limit=200');
    const event = body.data.items.find((one: Json) => one.data.object.id === record.id);
    expect(event.data.object).to.include({ status: 'completed', download_url: null, sha256: record.sha256 });
  });

  it('deleting an export deletes its file and no other file', async () => {
    const [kept, deleted] = await Promise.all([
      exports.download({ resource: 'invoices', format: 'csv' }),
      exports.download({ resource: 'invoices', format: 'json' }),
    ]);
    const response = await tenant.client.delete(`/exports/${deleted.record.id}`);
    expect(response.body).to.include({ status: 'expired', download_url: null });
    const storage = openStorage(stack.runtime.config.exportStorage);
    expect(await deleteDiscardedFiles(stack.runtime, storage)).to.be.at.least(1);
    expect(await storage.open(`${tenant.id}/${deleted.record.id}/1`)).to.equal(undefined);
    expect((await fetch(deleted.record.download_url)).status).to.equal(404);
    // `deleteOrphanedObjects` deletes an object that no export refers to. It keeps the objects of
    // existing exports, even old objects.
    await storeObject(storage, `${tenant.id}/${kept.record.id}/7`);
    const cleanUpTime = new Date(Date.now() + 60_000);
    expect(await deleteOrphanedObjects(stack.runtime, storage, cleanUpTime)).to.be.at.least(1);
    expect(await storage.open(`${tenant.id}/${kept.record.id}/7`)).to.equal(undefined);
    expect((await fetch(kept.record.download_url)).status).to.equal(200);
  });

  it('objects to which no record refers are deleted while another account is frozen, whose objects are kept', async () => {
    const storage = openStorage(stack.runtime.config.exportStorage);
    const frozen = await stack.createTenant();
    const freeze = { text: 'insert into frozen_accounts (tenant_id) values ($1)', values: [frozen.id] };
    await stack.runtime.db.transaction([frozen.id], (tx) => tx.query(freeze), { mayWriteFrozen: true });
    const keys = [frozen.id, tenant.id].map((id) => `${id}/${newId()}/1`) as [string, string];
    for (const key of keys) await storeObject(storage, key);
    await deleteOrphanedObjects(stack.runtime, storage, new Date(Date.now() + 60_000));
    expect(await storage.open(keys[1])).to.equal(undefined);
    const kept = await storage.open(keys[0]);
    expect(kept).to.include({ size: 1 });
    kept?.stream.destroy();
  });
}

async function storeObject(storage: Storage, key: string): Promise<void> {
  const upload = await storage.create(key, { contentType: 'text/csv', fileName: 'x.csv' });
  upload.stream.write('x');
  await upload.commit();
}

describe('exports stored in a folder', () => {
  const stack = useStack({ exports: true });
  testExportsWorker(stack);
});

describe('exports stored in an S3 bucket', () => {
  let server: S3Server;
  useAwsCredentials();
  before(async () => {
    server = await S3Server.start();
  });
  after(() => server.stop());

  const stack = useOwnStack(async () => ({
    exports: true,
    environment: { STORAGE_URL: `s3://${server.bucket}/tow`, S3_ENDPOINT: server.endpoint },
  }));
  testExportsWorker(stack);

  it('an export fails with storage_full and a notice when storage is full, and a retry completes it', async () => {
    try {
      const tenant = await stack.createTenant();
      const exports = createExportHelpers(tenant);
      server.injectFailure = (request) =>
        request.startsWith('PUT') || request.startsWith('POST')
          ? { status: 507, code: 'InsufficientStorage' }
          : undefined;
      const { id } = await exports.start({ resource: 'customers', format: 'csv' });
      const failed = await exports.waitForEnd(id);
      expect([failed.status, failed.error.code]).to.deep.equal(['failed', 'storage_full']);
      const { body } = await tenant.client.get('/notices');
      expect(body.data.items[0]).to.include({ kind: 'export_failed', entity_id: id });
      server.injectFailure = () => undefined;
      expect((await tenant.client.post(`/exports/${id}/retry`, {})).status).to.equal(200);
      expect(await exports.waitForEnd(id)).to.include({ status: 'completed', attempts: 2, error: null });
    } finally {
      server.injectFailure = () => undefined;
    }
  });
});
