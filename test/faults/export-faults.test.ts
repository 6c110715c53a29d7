/**
 * Injects faults while exports are written. In the end, every export must be complete without
 * intervention, and no partial file may be left. To stop an export half-way, a scenario locks a
 * table that the export reads later.
 */
import { expect } from 'chai';
import { registerConcurrentTests } from '../support/concurrent-tests.js';
import { ExportCompany } from '../support/exports/export-company.js';
import { parseCsvFast, unzip } from '../support/exports/export-files.js';
import { type DeployedService, runTotals } from '../support/load/deployed-service.js';
import { Deployment, type DeploymentOptions } from '../support/load/deployment.js';
import { Load } from '../support/load/load.js';
import { readMemoryMb, type TestProcess } from '../support/load/processes.js';
import { eventually } from '../support/poll.js';
import { IS_SCALED } from '../support/stores.js';

const ROWS = 30_000;
const EVERYTHING = { resource: 'all', format: 'csv' };
/** A slow download: 60 s for some 36 MB. */
const SLOW_DOWNLOAD = { rows: 60_000, seconds: 60 };
const GROWTH_LIMIT_MB = 60;

function withCompany(
  scene: (company: ExportCompany) => Promise<void>,
  options: DeploymentOptions = {},
): () => Promise<void> {
  return () =>
    Deployment.run({ exporters: 1, ...options }, async (deployment) => {
      await deployment.start();
      const [tenant] = await deployment.createTenants(1);
      if (tenant) await scene(new ExportCompany(deployment, tenant));
    });
}

/**
 * Starts an export of everything, and calls `fault` after its first rows. A lock on the table of
 * inspections keeps the export from completing before `fault` has ended. Resolves with the id of
 * the export.
 */
async function failHalfWay(company: ExportCompany, fault: (id: string) => Promise<void>): Promise<string> {
  await company.insertInvoices(ROWS);
  return company.deployment.withLock('inspections', 'access exclusive', async () => {
    const { id } = await company.requestExport(EVERYTHING);
    await company.waitForFirstRows(id);
    expect([
      (await company.listStoredFiles()).length,
      (await company.listPartialFiles()).length,
    ]).to.deep.equal([0, 1]);
    await fault(id);
    return id;
  });
}

async function expectComplete(company: ExportCompany, id: string): Promise<void> {
  const files = unzip(await company.downloadExport(id));
  const rows = parseCsvFast(files.get('invoices.csv') as Buffer);
  expect(rows).to.have.length(ROWS);
  expect(new Set(rows.map((row) => row.id)).size).to.equal(ROWS);
  const manifest = JSON.parse(String(files.get('manifest.json')));
  const invoices = manifest.files.find(({ name }: { name: string }) => name === 'invoices.csv');
  expect(invoices.rows).to.equal(ROWS);
  expect(invoices.sums.total_cents).to.equal(ROWS * 17_185);
  const left = { whole: (await company.listStoredFiles()).length, parts: await company.listPartialFiles() };
  expect(left, 'files in storage after the run').to.deep.equal({ whole: 1, parts: [] });
}

const workerKilled = withCompany(async (company) => {
  const [worker] = company.deployment.exporters as [DeployedService];
  const id = await failHalfWay(company, async () => {
    await worker.kill();
    expect(await company.listStoredFiles()).to.deep.equal([]);
  });
  await worker.start();
  await expectComplete(company, id);
  expect((await company.readExport(id)).attempts).to.equal(2);
});

/** Kills the worker after it has stored the complete file and before it records the result. */
const workerDiesBeforeRecording = withCompany(async (company) => {
  const [worker] = company.deployment.exporters as [DeployedService];
  await company.insertInvoices(ROWS);
  await worker.stop('SIGTERM');
  const dying = worker.launch({ FAILPOINTS: 'after_export_stored' });
  await dying.waitUntilReady(worker.origin);
  const { id } = await company.requestExport(EVERYTHING);
  expect(await dying.waitForExit()).to.deep.equal({ code: null, signal: 'SIGKILL' });
  runTotals.kills += 1;
  await worker.start();
  await expectComplete(company, id);
});

const postgresKilled = withCompany(async (company) => {
  const id = await failHalfWay(company, () => company.deployment.killPostgres());
  await expectComplete(company, id);
});

/**
 * A worker that ends on SIGTERM must close the database session of its export. The next worker
 * writes the export again.
 */
const workerStopped = withCompany(async (company) => {
  const [worker] = company.deployment.exporters as [DeployedService];
  const id = await failHalfWay(company, async () => {
    expect(await worker.stop('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    await eventually(
      'the end of its session',
      async () => (await company.countSnapshotSessions()) === 0,
      10_000,
    );
  });
  await worker.start();
  await expectComplete(company, id);
});

const cancelled = withCompany(async (company) => {
  const id = await failHalfWay(company, async (running) => {
    const response = await company.client.delete(`/exports/${running}`);
    expect([response.status, response.body.status]).to.deep.equal([200, 'cancelled']);
    await eventually(
      'the end of its session',
      async () => (await company.countSnapshotSessions()) === 0,
      10_000,
    );
  });
  await eventually(
    'the deletion of its partial file',
    async () => (await company.listPartialFiles()).length === 0,
  );
  expect(await company.readExport(id)).to.include({ status: 'cancelled', download_url: null });
  expect((await company.client.post(`/exports/${id}/retry`, {})).status).to.equal(200);
  await expectComplete(company, id);
});

/** An export must contain a concurrent write completely or not at all. */
const concurrentWrites = withCompany(async (company) => {
  await company.insertInvoices(ROWS);
  const { tenant, deployment } = company;
  const origins = deployment.webs.map(({ origin }) => origin);
  const load = new Load({ origins, tenants: [tenant], clients: 4, thinkMs: 5 }).start();
  try {
    for (let nth = 0; nth < 3; nth += 1) {
      await load.waitForCalls(30);
      const before = load.acknowledgedCount;
      const { id } = await company.requestExport(EVERYTHING);
      const files = unzip(await company.downloadExport(id));
      const invoices = parseCsvFast(files.get('invoices.csv') as Buffer);
      const lineItemRows = parseCsvFast(files.get('invoice_line_items.csv') as Buffer);
      expect(invoices.length).to.be.at.least(ROWS + before);
      const written = invoices.filter(({ invoice_number }) => !invoice_number?.startsWith('F-'));
      const subtotals = new Map<string, number>();
      for (const { invoice_id = '', total_cents } of lineItemRows)
        subtotals.set(invoice_id, (subtotals.get(invoice_id) ?? 0) + Number(total_cents));
      // Each invoice has all its line items, and each line item has its invoice.
      expect(written.map(({ id, subtotal_cents }) => [id, Number(subtotal_cents)])).to.have.deep.members([
        ...subtotals,
      ]);
      const manifest = JSON.parse(String(files.get('manifest.json')));
      const manifestEntry = manifest.files.find(({ name }: { name: string }) => name === 'invoices.csv');
      const sum = invoices.reduce((cents, { total_cents }) => cents + Number(total_cents), 0);
      expect(manifestEntry).to.include({ rows: invoices.length });
      expect(manifestEntry.sums.total_cents).to.equal(sum);
    }
  } finally {
    await load.stop();
  }
});

const slowDownload = withCompany(async (company) => {
  await company.insertInvoices(SLOW_DOWNLOAD.rows, 'x'.repeat(400));
  const { id } = await company.requestExport({ resource: 'invoices', format: 'csv', compression: 'none' });
  const { bytes, download_url: url } = await company.waitForEnd(id);
  const web = company.deployment.web.process as TestProcess;
  const { now: before } = await readMemoryMb(web);
  const response = await fetch(url);
  const chunks = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const startedAt = Date.now();
  let read = 0;
  // Measure the memory during the download. Do not use the peak that Linux records: an all-in-one
  // process may have reached that peak when it wrote the file.
  let peakMb = 0;
  for (;;) {
    const { done, value } = await chunks.read();
    if (done) break;
    read += value.length;
    const due = startedAt + (read / bytes) * SLOW_DOWNLOAD.seconds * 1000;
    if (due > Date.now()) await new Promise((resolve) => setTimeout(resolve, due - Date.now()));
    peakMb = Math.max(peakMb, (await readMemoryMb(web)).now);
  }
  expect(read).to.equal(bytes);
  expect(peakMb - before, 'MB that it grew by').to.be.below(GROWTH_LIMIT_MB);
});

describe('exports under fault injection', () => {
  registerConcurrentTests(
    {
      // Downloads work the same all-in-one and scaled out, so only one of the two runs tests them.
      ...(IS_SCALED
        ? {}
        : { 'a download that takes a minute is streamed, not held in memory': slowDownload }),
      'an export starts over when its worker is killed half-way, and leaves no partial file': workerKilled,
      'an export starts over when its worker is killed before it records the result':
        workerDiesBeforeRecording,
      'an export starts over when PostgreSQL is killed half-way': postgresKilled,
      ...(IS_SCALED ? { 'a worker that ends on SIGTERM releases its export': workerStopped } : {}),
      'a cancelled export stops immediately and can be retried': cancelled,
      'an export contains a concurrently written invoice with all its line items, or not at all':
        concurrentWrites,
    },
    { maxConcurrent: 2, timeoutMs: 300_000 },
  );
});
