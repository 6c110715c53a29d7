import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openSnapshot } from '../shared/platform/postgres/snapshot.js';
import type { ExportFormat, ExportRequest } from '../shared/resources/exports/request/export-request.js';
import { S3Server } from '../test/support/exports/s3-server.js';
import { S3_ACCOUNT } from '../test/support/exports/s3-signature.js';
import { buildCopyQuery, type CopyQuery } from '../workers/exports/files/copy-queries.js';
import { listFileSources } from '../workers/exports/files/sources.js';
import { fillInvoices } from './support/fill.js';
import { createTenant, openBenchDatabase, startProduct } from './support/product.js';
import { print, printMachine, printRatio } from './support/report.js';
import { startStores } from './support/stores.js';

// Measures how many rows per second an export writes, from the request until the file is stored.
// The baseline is a raw COPY of the same rows. Also measures the worker's memory, and how long a
// small export waits while huge exports run.
// BENCH_ROWS: number of invoices in the large account. BENCH_FORMATS: formats to measure, such as
// csv,ndjson. BENCH_STORAGE=s3: store the files in the tests' S3 server, which runs in this
// process, on the same cores as the product.
const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000);
const SMALL_ROWS = 10_000;
const FORMATS = (process.env.BENCH_FORMATS ?? 'csv,ndjson,dump').split(',') as ExportFormat[];
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

printMachine();
const stores = await startStores({ redis: true });
const db = openBenchDatabase(stores);
const large = await createTenant(db);
const small = await createTenant(db);
print(`filling ${ROWS} invoices`);
await fillInvoices(stores.superuserUrl, large.tenantId, ROWS);
await fillSmall();
const bucket = process.env.BENCH_STORAGE === 's3' ? await openBucket() : undefined;
const product = await startProduct(stores, 'scaled', { workers: ['writes clock', 'exports'] });
const worker = product.pids.at(-1) as number;

async function openBucket(): Promise<S3Server> {
  const server = await S3Server.start();
  server.keepsParts = false;
  Object.assign(process.env, {
    STORAGE_URL: `s3://${server.bucket}/bench`,
    S3_ENDPOINT: server.endpoint,
    AWS_ACCESS_KEY_ID: S3_ACCOUNT.id,
    AWS_SECRET_ACCESS_KEY: S3_ACCOUNT.secret,
  });
  return server;
}

interface ExportRecord {
  id: string;
  status: string;
  bytes: number;
  created_at: string;
  started_at: string;
  completed_at: string;
  progress: { rows: number };
}

async function call(key: string, path: string, body?: object): Promise<ExportRecord> {
  const response = await fetch(`${product.origin}/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as ExportRecord;
}

async function waitForExport(key: string, id: string): Promise<ExportRecord> {
  for (;;) {
    const record = await call(key, `/exports/${id}`);
    if (record.status === 'completed') return record;
    if (!['queued', 'running'].includes(record.status)) throw new Error(JSON.stringify(record));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const buildExportRequest = (format: ExportFormat) => ({
  resource: format === 'dump' ? 'all' : 'invoices',
  format,
});
const durationSeconds = ({ created_at, completed_at }: ExportRecord) =>
  (Date.parse(completed_at) - Date.parse(created_at)) / 1000;

/**
 * Reads the rows of the large account with COPY and discards them. Resolves with the duration in
 * seconds.
 */
async function measureRawCopy(format: ExportFormat): Promise<number> {
  const snapshot = await openSnapshot({
    databaseUrl: stores.databaseUrl,
    tenantId: large.tenantId,
    applicationName: 'bench',
    queryTimeoutMs: 3_600_000,
  });
  const startedAt = performance.now();
  for (const { query, options } of listRawQueries(format))
    await pipeline(
      snapshot.copy(query, options),
      new Writable({ write: (_chunk, _encoding, done) => done() }),
    );
  const seconds = (performance.now() - startedAt) / 1000;
  await snapshot.close();
  return seconds;
}

function listRawQueries(format: ExportFormat): Pick<CopyQuery, 'query' | 'options'>[] {
  if (format === 'dump') {
    return ['invoices', 'invoice_line_items'].map((table) => ({
      query: { text: `select * from ${table} where tenant_id = $1`, values: [large.tenantId] },
      options: 'format text',
    }));
  }
  const order: ExportRequest = {
    tenantId: large.tenantId,
    resource: 'invoices',
    format,
    filters: {},
    include: [],
    compression: 'gzip',
    bom: false,
    decimals: false,
    timeZone: 'UTC',
  };
  return listFileSources(order).map((source) => buildCopyQuery(order, source));
}

/** Reads the worker's peak resident memory in MB. */
async function readPeakMb(): Promise<number> {
  const status = await readFile(`/proc/${worker}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

async function fillSmall(): Promise<void> {
  await db.transaction([small.tenantId], (tx) =>
    tx.query({
      text: `insert into invoices (tenant_id, id, invoice_number, status, subtotal_cents, tax_cents, total_cents, created_at, updated_at)
             select $1, gen_random_uuid(), 'S-' || i, 'draft', 15875, 1310, 17185, now(), now() from generate_series(1, ${SMALL_ROWS}) i`,
      values: [small.tenantId],
    }),
  );
}

const alone = await waitForExport(
  small.key,
  (await call(small.key, '/exports', buildExportRequest('csv'))).id,
);
print(
  `${SMALL_ROWS} invoices as csv: ${durationSeconds(alone)} s; the worker's peak is ${await readPeakMb()} MB`,
);
for (const format of FORMATS) {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const raw = await measureRawCopy(format);
    const done = await waitForExport(
      large.key,
      (await call(large.key, '/exports', buildExportRequest(format))).id,
    );
    const { rows } = done.progress;
    printRatio(
      `${format} of ${ROWS} invoices, round ${round}, ${(done.bytes / 1e6).toFixed(0)} MB stored, peak of the worker so far ${await readPeakMb()} MB`,
      {
        ours: rows / durationSeconds(done),
        baseline: rows / raw,
        unit: 'rows/s',
        bar: format === 'csv' ? 'at least 0.5, goal 0.85' : 'none',
      },
    );
  }
}
print('a small export while another account has one huge export running and four waiting:');
const huge: string[] = [];
for (let nth = 0; nth < 5; nth += 1)
  huge.push((await call(large.key, '/exports', buildExportRequest('ndjson'))).id);
const waits: number[] = [];
for (let nth = 0; nth < 5; nth += 1)
  waits.push(
    durationSeconds(
      await waitForExport(small.key, (await call(small.key, '/exports', buildExportRequest('csv'))).id),
    ),
  );
print(`${waits.map((seconds) => seconds.toFixed(2)).join(', ')} s; alone it was ${durationSeconds(alone)} s`);
for (const id of huge)
  await fetch(`${product.origin}/v1/exports/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${large.key}` },
  });
await db.close();
await product.stop();
await stores.stop();
await bucket?.stop();
