/**
 * Faults while exports are written (issue 6): an export is whole or not there, and comes to its end by itself. Where it matters, it is caught half-way by a lock on a table that it
 * has still to read.
 */
import { expect } from 'chai';
import { Deployment, type DeploymentOptions, type Service, totals } from '../support/deployment.js';
import { manyCsvRows, unzipped } from '../support/export-files.js';
import { Load } from '../support/load.js';
import { eventually } from '../support/poll.js';
import { memoryOf, type TestProcess } from '../support/processes.js';
import { sideBySide } from '../support/side-by-side.js';
import { IS_SCALED } from '../support/stores.js';
import { Company } from './export-scene.js';

const ROWS = 30_000;
const EVERYTHING = { resource: 'all', format: 'csv' };
/** A reader of a modem: 60 s for some 36 MB. */
const SLOW = { rows: 60_000, seconds: 60 };
const GROWTH_LIMIT_MB = 60;

function withCompany(
  scene: (company: Company) => Promise<void>,
  options: DeploymentOptions = {},
): () => Promise<void> {
  return () =>
    Deployment.run({ exporters: 1, ...options }, async (deployment) => {
      await deployment.start();
      const [tenant] = await deployment.tenants(1);
      if (tenant) await scene(new Company(deployment, tenant));
    });
}

/** Starts an export of everything and does something when its invoices are written and its inspections are not. */
async function halfWay(company: Company, fault: (id: string) => Promise<void>): Promise<string> {
  await company.fill(ROWS);
  return company.deployment.withLock('inspections', 'access exclusive', async () => {
    const { id } = await company.start(EVERYTHING);
    await company.isUnderWay(id);
    expect([(await company.stored()).length, (await company.parts()).length]).to.deep.equal([0, 1]);
    await fault(id);
    return id;
  });
}

async function expectWhole(company: Company, id: string): Promise<void> {
  const files = unzipped(await company.fetched(id));
  const rows = manyCsvRows(files.get('invoices.csv') as Buffer);
  expect(rows).to.have.length(ROWS);
  expect(new Set(rows.map((row) => row.id)).size).to.equal(ROWS);
  const manifest = JSON.parse(String(files.get('manifest.json')));
  const invoices = manifest.files.find(({ name }: { name: string }) => name === 'invoices.csv');
  expect(invoices.rows).to.equal(ROWS);
  expect(invoices.sums.total_cents).to.equal(ROWS * 17_185);
  const left = { whole: (await company.stored()).length, parts: await company.parts() };
  expect(left, 'what earlier runs left').to.deep.equal({ whole: 1, parts: [] });
}

const workerKilled = withCompany(async (company) => {
  const [worker] = company.deployment.exporters as [Service];
  const id = await halfWay(company, async () => {
    await worker.kill();
    expect(await company.stored()).to.deep.equal([]);
  });
  await worker.start();
  await expectWhole(company, id);
  expect((await company.read(id)).attempts).to.equal(2);
});

/** The object is whole, and nobody was told. */
const diesBeforeTelling = withCompany(async (company) => {
  const [worker] = company.deployment.exporters as [Service];
  await company.fill(ROWS);
  await worker.stop('SIGTERM');
  const dying = worker.launch({ FAILPOINTS: 'after_export_stored' });
  await dying.isReady(worker.origin);
  const { id } = await company.start(EVERYTHING);
  expect(await dying.hasEnded()).to.deep.equal({ code: null, signal: 'SIGKILL' });
  totals.kills += 1;
  await worker.start();
  await expectWhole(company, id);
});

const postgresKilled = withCompany(async (company) => {
  const id = await halfWay(company, () => company.deployment.killPostgres());
  await expectWhole(company, id);
});

/** What the worker gives back counts as no try. */
const workerEnds = withCompany(async (company) => {
  const [worker] = company.deployment.exporters as [Service];
  const id = await halfWay(company, async () => {
    expect(await worker.stop('SIGTERM')).to.deep.equal({ code: 0, signal: null });
    await eventually('the end of its session', async () => (await company.sessions()) === 0, 10_000);
  });
  await worker.start();
  await expectWhole(company, id);
});

const cancelled = withCompany(async (company) => {
  const id = await halfWay(company, async (running) => {
    const answer = await company.client.delete(`/exports/${running}`);
    expect([answer.status, answer.body.status]).to.deep.equal([200, 'cancelled']);
    await eventually('the end of its session', async () => (await company.sessions()) === 0, 10_000);
  });
  await eventually('the end of its part', async () => (await company.parts()).length === 0);
  expect(await company.read(id)).to.include({ status: 'cancelled', download_url: null });
  expect((await company.client.post(`/exports/${id}/retry`, {})).status).to.equal(200);
  await expectWhole(company, id);
});

/** What is written meanwhile is in an export as a whole or not at all. */
const writesMeanwhile = withCompany(async (company) => {
  await company.fill(ROWS);
  const { tenant, deployment } = company;
  const origins = deployment.webs.map(({ origin }) => origin);
  const load = new Load({ origins, tenants: [tenant], clients: 4, thinkMs: 5 }).start();
  try {
    for (let nth = 0; nth < 3; nth += 1) {
      await load.progresses(30);
      const before = load.acknowledged;
      const { id } = await company.start(EVERYTHING);
      const files = unzipped(await company.fetched(id));
      const invoices = manyCsvRows(files.get('invoices.csv') as Buffer);
      const lines = manyCsvRows(files.get('invoice_line_items.csv') as Buffer);
      expect(invoices.length).to.be.at.least(ROWS + before);
      const written = invoices.filter(({ invoice_number }) => !invoice_number?.startsWith('F-'));
      const subtotals = new Map<string, number>();
      for (const { invoice_id = '', total_cents } of lines)
        subtotals.set(invoice_id, (subtotals.get(invoice_id) ?? 0) + Number(total_cents));
      // Each invoice with all of its lines, and no line without its invoice.
      expect(written.map(({ id, subtotal_cents }) => [id, Number(subtotal_cents)])).to.have.deep.members([
        ...subtotals,
      ]);
      const manifest = JSON.parse(String(files.get('manifest.json')));
      const told = manifest.files.find(({ name }: { name: string }) => name === 'invoices.csv');
      const sum = invoices.reduce((cents, { total_cents }) => cents + Number(total_cents), 0);
      expect(told).to.include({ rows: invoices.length });
      expect(told.sums.total_cents).to.equal(sum);
    }
  } finally {
    await load.stop();
  }
});

const slowReader = withCompany(async (company) => {
  await company.fill(SLOW.rows, 'x'.repeat(400));
  const { id } = await company.start({ resource: 'invoices', format: 'csv', compression: 'none' });
  const { bytes, download_url: url } = await company.ended(id);
  const web = company.deployment.web.process as TestProcess;
  const { now: before } = await memoryOf(web);
  const response = await fetch(url);
  const chunks = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const startedAt = Date.now();
  let read = 0;
  // Its peak may be from before: in the all-in-one way it has written the file itself.
  let most = 0;
  for (;;) {
    const { done, value } = await chunks.read();
    if (done) break;
    read += value.length;
    const due = startedAt + (read / bytes) * SLOW.seconds * 1000;
    if (due > Date.now()) await new Promise((resolve) => setTimeout(resolve, due - Date.now()));
    most = Math.max(most, (await memoryOf(web)).now);
  }
  expect(read).to.equal(bytes);
  expect(most - before, 'MB that it grew by').to.be.below(GROWTH_LIMIT_MB);
});

describe('faults while exports are written', () => {
  sideBySide(
    {
      // The api is the same in both ways.
      ...(IS_SCALED
        ? {}
        : { 'lets a reader take a minute over a file, and holds none of it meanwhile': slowReader }),
      'begins anew when its worker is killed half-way, and leaves no half file': workerKilled,
      'begins anew when its worker is killed before it could say that it is done': diesBeforeTelling,
      'begins anew when PostgreSQL is killed half-way': postgresKilled,
      ...(IS_SCALED ? { 'is given back by a worker that ends on SIGTERM': workerEnds } : {}),
      'stops at once when it is cancelled, and can be begun again': cancelled,
      'shows each invoice that is written meanwhile with all of its lines, or not at all': writesMeanwhile,
    },
    { atOnce: 4, timeoutMs: 180_000 },
  );
});
