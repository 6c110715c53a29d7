/** Runs `tow export` as a person at a terminal does, against a product that writes exports. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { csvRows, unzipped } from '../support/export-files.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';
import { Desk } from './listen-fixture.js';

describe('tow export', function () {
  this.timeout(90_000);
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start({ exports: true });
    tenant = await stack.createTenant();
    for (let nth = 0; nth < 3; nth += 1) await tenant.client.post('/invoices', invoiceInput());
  });
  after(() => stack.stop());

  const atDesk = (work: (desk: Desk) => Promise<void>) =>
    Desk.run({ TOW_API_URL: `${stack.origin}/v1`, TOW_API_KEY: tenant.client.key }, work);

  it('tow export waits for an export and downloads it, unpacked unless the name ends in .gz', () =>
    atDesk(async (desk) => {
      const plain = join(desk.dataDir, 'invoices.csv');
      const packed = join(desk.dataDir, 'invoices.csv.gz');
      const run = await desk.json('export', 'invoices', '-o', plain);
      expect([run.code, run.out.data.status, run.out.data.path]).to.deep.equal([0, 'completed', plain]);
      expect(csvRows(await readFile(plain))).to.have.length(3);
      expect((await desk.json('export', 'invoices', '-o', packed)).code).to.equal(0);
      expect((await readFile(packed)).subarray(0, 2).toString('hex')).to.equal('1f8b');
      expect((await readdir(desk.dataDir)).filter((name) => /part|whole/.test(name))).to.deep.equal([]);
    }));

  it("tow export accepts the list's filters and shows the API's refusals verbatim", () =>
    atDesk(async (desk) => {
      const path = join(desk.dataDir, 'none.csv');
      expect((await desk.json('export', 'invoices', '--status', 'paid', '-o', path)).code).to.equal(0);
      expect(csvRows(await readFile(path))).to.deep.equal([]);
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      for (const [option, count] of [
        ['--since', 0],
        ['--until', 3],
      ] as const) {
        const run = await desk.json('export', 'invoices', option, tomorrow, '-o', path);
        expect([run.code, csvRows(await readFile(path)).length]).to.deep.equal([0, count]);
      }
      const refused = await desk.json('export', 'customers', '--include', 'payments', '--wait');
      expect(refused.code).to.equal(1);
      expect(refused.out.error.message).to.include('include');
      const unknown = await desk.json('export', 'trucks');
      expect([unknown.code, unknown.out.error.code]).to.deep.equal([1, 'validation_error']);
    }));

  it('tow export creates several formats together, each with its own file name in a folder', () =>
    atDesk(async (desk) => {
      const folder = `${join(desk.dataDir, 'exported')}/`;
      const run = await desk.json('export', 'all', '--format', 'csv,json,dump', '-o', folder);
      expect(run.code, JSON.stringify(run.out)).to.equal(0);
      const names = (await readdir(folder)).sort();
      expect(names.map((name) => name.replace(/\d{4}-\d\d-\d\d/, 'DAY'))).to.deep.equal([
        'dump-DAY.sql.gz',
        'everything-csv-DAY.zip',
        'everything-json-DAY.zip',
      ]);
      const files = unzipped(await readFile(join(folder, names[1] as string)));
      expect(csvRows(files.get('invoices.csv') as Buffer)).to.have.length(3);
      expect((await desk.json('export', 'all', '--format', 'csv,json', '-o', 'one.zip')).code).to.equal(2);
    }));

  it('tow export prints one line for each file in a zip', () =>
    atDesk(async (desk) => {
      const run = desk.tow('export', 'all', '-o', join(desk.dataDir, 'all.zip'));
      expect((await run.hasEnded()).code).to.equal(0);
      expect(run.stdout).to.include('\n  invoices.csv  3 rows\n');
      expect(run.stdout).to.include('\n  refunds.csv  0 rows\n');
    }));

  it('tow export only requests the export without --wait, and returns the link with it', () =>
    atDesk(async (desk) => {
      const asked = await desk.json('export', 'work-orders', '--format', 'ndjson');
      expect(asked.out.data).to.include({ resource: 'work_orders', status: 'queued' });
      const waited = await desk.json('export', 'work-orders', '--wait');
      expect((await fetch(waited.out.data.download_url)).status).to.equal(200);
    }));

  it('tow export leaves nothing behind when it cannot write the file', () =>
    atDesk(async (desk) => {
      const path = join(desk.dataDir, 'no', 'such', 'folder.csv');
      const { code } = await desk.json('export', 'invoices', '-o', path);
      expect(code).to.equal(1);
      await writeFile(join(desk.dataDir, 'file'), '');
      expect((await desk.json('export', 'invoices', '-o', join(desk.dataDir, 'file/'))).code).to.not.equal(0);
    }));
});
