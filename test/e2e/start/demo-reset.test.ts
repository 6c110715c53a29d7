/** Runs `release` and `demo:reset` as separate processes against a real PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DemoFile } from '../../../bin/demo/demo-file.js';
import { findKey } from '../../../shared/resources/api-keys/queries.js';
import { useCli } from '../cli/cli-fixture.js';

describe('release and demo:reset', function () {
  this.timeout(40_000);
  const cli = useCli();

  const reset = (settings: Record<string, string> = {}) => cli.run('bin/demo-reset.js', [], settings);
  const readDemo = async () => JSON.parse(await readFile(join(cli.dataDir, 'demo.json'), 'utf8')) as DemoFile;
  const findFirstKey = (demo: DemoFile) => findKey(cli.db, demo.tenants[0]?.api_key ?? '');
  const countRows = async (tenant: string) => {
    const tables = [
      'customers',
      'work_orders',
      'invoices',
      'invoice_line_items',
      'audit_entries',
      'api_keys',
      'tenants',
    ];
    const [row] = await cli.db.read(tenant, {
      text: `select ${tables.map((table) => `(select count(*) from ${table}) as ${table}`).join(', ')}`,
    });
    return row;
  };

  it('release with DEMO=true writes the demo, and a second release changes nothing', async () => {
    const settings = { DEMO: 'true', BASE_URL: 'https://tow.example' };
    const released = await cli.run('bin/release.js', [], settings);
    expect(released.code, released.err).to.equal(0);
    expect(released.out.trim().split('\n')).to.have.length(1);
    const demo = await readDemo();
    expect(demo).to.include({ api_url: 'https://tow.example/v1', mcp_url: 'https://tow.example/mcp' });
    expect((await cli.run('bin/release.js', [], settings)).code).to.equal(0);
    expect(await readDemo()).to.deep.equal(demo);
    const broken = await cli.run('bin/release.js', [], { DATABASE_URL: '' });
    expect(broken.code).to.equal(1);
    expect(broken.err).to.match(/DATABASE_URL/);
  });

  it('demo:reset refuses in production and while the product runs', async () => {
    const before = await readDemo();
    const SECRET_KEY = randomBytes(48).toString('base64');
    const web = cli.openDatabase('tow-web');
    await web.query({ text: 'select 1' });
    // The pool closes an idle connection after ten seconds, so keep this connection in use, as the
    // product's processes do.
    const keepInUseTimer = setInterval(() => void web.query({ text: 'select 1' }), 1000);
    const [production, connected, embedded] = await Promise.all([
      reset({ NODE_ENV: 'production', SECRET_KEY, BASE_URL: 'https://api.example.com' }),
      reset(),
      reset({ DATABASE_URL: '' }),
    ]).finally(() => clearInterval(keepInUseTimer));
    await web.close();
    expect([production, connected, embedded].map(({ code }) => code)).to.deep.equal([1, 1, 1]);
    expect(production.err).to.include('production');
    expect(connected.err).to.include('tow-web');
    expect(embedded.err).to.include('stop it first');
    expect(await readDemo()).to.deep.equal(before);
    expect(await findFirstKey(before)).to.include({ revoked: false });
  });

  it('demo:reset restores the original demo and leaves other tenants unchanged', async () => {
    const other = (await cli.tow(['tenants', 'create', '--name', 'Acme Towing'])).data.id;
    const before = await readDemo();
    const demo = (await findFirstKey(before))?.tenantId as string;
    const [counts, others] = [await countRows(demo), await countRows(other)];
    await cli.tow(['keys', 'create', '--tenant', demo, '--name', 'Mine']);
    await cli.db.transaction([demo], (tx) =>
      tx.query({ text: "update customers set company_name = 'Changed'" }),
    );
    const done = await reset();
    expect(done.code, done.err).to.equal(0);
    const after = await readDemo();
    expect(await findFirstKey(before)).to.equal(undefined);
    expect(await findFirstKey(after)).to.include({ tenantId: demo });
    expect(await countRows(demo)).to.deep.equal(counts);
    expect(await countRows(other)).to.deep.equal(others);
    const changed = await cli.db.read(demo, { text: "select from customers where company_name = 'Changed'" });
    expect(changed).to.deep.equal([]);
  });
});
