/** Runs `tow export` as a person at a terminal does, against a running product. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseCsv, unzip } from '../../support/exports/export-files.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { DeveloperMachine } from './developer-machine.js';

describe('tow export', function () {
  this.timeout(180_000);
  const stack = useStack({ exports: true });
  const tenant = useTenant(stack);

  before(async () => {
    for (let nth = 0; nth < 3; nth += 1) await tenant.client.post('/invoices', invoiceInput());
  });

  const onMachine = (work: (machine: DeveloperMachine) => Promise<void>) =>
    // `tow` adds /v1 to an address without a path.
    DeveloperMachine.run({ TOW_API_URL: stack.origin, TOW_API_KEY: tenant.client.key }, work);

  it('tow export waits for an export and downloads it, unpacked unless the name ends in .gz', () =>
    onMachine(async (machine) => {
      const plain = join(machine.dataDir, 'invoices.csv');
      const packed = join(machine.dataDir, 'invoices.csv.gz');
      const run = await machine.runJson('export', 'invoices', '-o', plain);
      expect([run.code, run.out.data.status, run.out.data.path]).to.deep.equal([0, 'completed', plain]);
      expect(parseCsv(await readFile(plain))).to.have.length(3);
      expect((await machine.runJson('export', 'invoices', '-o', packed)).code).to.equal(0);
      expect((await readFile(packed)).subarray(0, 2).toString('hex')).to.equal('1f8b');
      expect((await readdir(machine.dataDir)).filter((name) => /part|whole/.test(name))).to.deep.equal([]);
    }));

  it("tow export accepts the list's filters and shows the API's refusals verbatim", () =>
    onMachine(async (machine) => {
      const path = join(machine.dataDir, 'none.csv');
      expect((await machine.runJson('export', 'invoices', '--status', 'paid', '-o', path)).code).to.equal(0);
      expect(parseCsv(await readFile(path))).to.deep.equal([]);
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      for (const [option, count] of [
        ['--since', 0],
        ['--until', 3],
      ] as const) {
        const run = await machine.runJson('export', 'invoices', option, tomorrow, '-o', path);
        expect([run.code, parseCsv(await readFile(path)).length]).to.deep.equal([0, count]);
      }
      const refused = await machine.runJson('export', 'customers', '--include', 'payments', '--wait');
      expect(refused.code).to.equal(1);
      expect(refused.out.error.message).to.include('include');
      const unknown = await machine.runJson('export', 'trucks');
      expect([unknown.code, unknown.out.error.code]).to.deep.equal([1, 'validation_error']);
    }));

  it('tow export creates several formats together, each with its own file name in a folder', () =>
    onMachine(async (machine) => {
      const folder = `${join(machine.dataDir, 'exported')}/`;
      const run = await machine.runJson('export', 'all', '--format', 'csv,json,dump', '-o', folder);
      expect(run.code, JSON.stringify(run.out)).to.equal(0);
      const names = (await readdir(folder)).sort();
      expect(names.map((name) => name.replace(/\d{4}-\d\d-\d\d/, 'DAY'))).to.deep.equal([
        'dump-DAY.sql.gz',
        'everything-csv-DAY.zip',
        'everything-json-DAY.zip',
      ]);
      const files = unzip(await readFile(join(folder, names[1] as string)));
      expect(parseCsv(files.get('invoices.csv') as Buffer)).to.have.length(3);
      expect((await machine.runJson('export', 'all', '--format', 'csv,json', '-o', 'one.zip')).code).to.equal(
        2,
      );
    }));

  it('tow export prints one line for each file in a zip', () =>
    onMachine(async (machine) => {
      const run = machine.startTow('export', 'all', '-o', join(machine.dataDir, 'all.zip'));
      expect((await run.waitForExit()).code).to.equal(0);
      expect(run.stdout).to.include('\n  invoices.csv  3 rows\n');
      expect(run.stdout).to.include('\n  refunds.csv  0 rows\n');
    }));

  it('tow export only requests the export without --wait, and returns the link with it', () =>
    onMachine(async (machine) => {
      const requested = await machine.runJson('export', 'work-orders', '--format', 'ndjson');
      expect(requested.out.data).to.include({ resource: 'work_orders', status: 'queued' });
      const waited = await machine.runJson('export', 'work-orders', '--wait');
      expect((await fetch(waited.out.data.download_url)).status).to.equal(200);
    }));

  it('tow export leaves nothing behind when it cannot write the file', () =>
    onMachine(async (machine) => {
      const path = join(machine.dataDir, 'no', 'such', 'folder.csv');
      const { code } = await machine.runJson('export', 'invoices', '-o', path);
      expect(code).to.equal(1);
      await writeFile(join(machine.dataDir, 'file'), '');
      expect(
        (await machine.runJson('export', 'invoices', '-o', join(machine.dataDir, 'file/'))).code,
      ).to.not.equal(0);
    }));
});
