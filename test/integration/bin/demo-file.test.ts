import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ensureDemo } from '../../../bin/demo/demo-file.js';
import { getDemoFilePath } from '../../../bin/demo/demo-file-path.js';
import { DEMO_PROFILES } from '../../../bin/demo/records/tenants.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import { findKey } from '../../../shared/resources/api-keys/queries.js';
import { DEMO_SECRET_KEY, useDemoDatabases } from './demo-fixture.js';

const ADDRESSES = {
  apiUrl: 'http://127.0.0.1:3000/v1',
  mcpUrl: 'http://127.0.0.1:3000/mcp',
  dashboardUrl: 'x',
};
const logger = { info: () => undefined, warn: () => undefined };

describe('demo.json', function () {
  this.timeout(120_000);
  const databases = useDemoDatabases();

  const ensureDemoFile = (db: Database, dataDir: string, addresses = ADDRESSES) =>
    ensureDemo(db, { config: { dataDir, secretKey: DEMO_SECRET_KEY }, addresses, logger });

  it('two concurrent processes create demo.json once, readable only by its owner, and later starts keep its keys', async () => {
    const { db, databaseUrl } = await databases.createEmpty();
    const dataDir = join(databases.folder, 'concurrent');
    const [one, two] = await Promise.all([
      ensureDemoFile(db, dataDir),
      ensureDemoFile(databases.open(databaseUrl), dataDir),
    ]);
    expect(one).to.deep.equal(two);
    const path = getDemoFilePath(dataDir);
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect(JSON.parse(await readFile(path, 'utf8'))).to.deep.equal(one);
    expect(one).to.include({ api_url: ADDRESSES.apiUrl, mcp_url: ADDRESSES.mcpUrl, dashboard_url: 'x' });
    const moved = await ensureDemoFile(db, dataDir, { ...ADDRESSES, apiUrl: 'https://tow.example/v1' });
    expect(moved).to.deep.equal({ ...one, api_url: 'https://tow.example/v1' });
  });

  it('demo.json gets new credentials when it is missing, broken or from another database', async () => {
    const { db } = await databases.createEmpty();
    const dataDir = join(databases.folder, 'renewed');
    const path = getDemoFilePath(dataDir);
    const first = await ensureDemoFile(db, dataDir);
    await rm(path);
    const second = await ensureDemoFile(db, dataDir);
    expect(second.tenants[0]?.api_key).not.to.equal(first.tenants[0]?.api_key);
    expect((await findKey(db, first.tenants[0]?.api_key ?? ''))?.revoked).to.equal(true);
    await writeFile(path, '{"tenants": [');
    const third = await ensureDemoFile(db, dataDir);
    expect((await findKey(db, third.tenants[1]?.sandbox_key ?? ''))?.revoked).to.equal(false);
    const { db: other } = await databases.createEmpty();
    const elsewhere = await ensureDemoFile(other, dataDir);
    expect(await findKey(other, elsewhere.tenants[0]?.api_key ?? '')).to.include({
      tenantId: DEMO_PROFILES[0]?.pair.live,
    });
  });
});
