import { expect } from 'chai';
import { isConnectionError } from '../../shared/platform/errors.js';
import { createLogger } from '../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../shared/platform/postgres.js';
import { createTenantPair, newTenantPair } from '../../shared/resources/tenants/create-tenant.js';
import { withClient } from '../support/rows.js';
import { createDatabase } from '../support/stores.js';

const OWN_TENANT = { name: 'own-tenant', text: 'select tenant_id from tenants' };
const FAULT = { text: 'select 1 / 0 as never' };
/** Without a name and without values pg would send it as a simple query. */
const OWN_TENANT_ONCE = { text: 'select tenant_id from tenants' };
const SLOW = { text: 'select pg_sleep(0.5)' };

describe('reads that share connections', () => {
  let databaseUrl: string;
  let db: Database;
  let tenants: string[];

  before(async () => {
    databaseUrl = await createDatabase();
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    db = openDatabase({ databaseUrl, poolSize: 10, applicationName: 'shared-reads', logger });
    const pairs = Array.from({ length: 5 }, newTenantPair);
    for (const pair of pairs) {
      await db.transaction([pair.live, pair.sandbox], (tx) => createTenantPair(tx, pair, { name: 'T' }));
    }
    tenants = pairs.flatMap((pair) => [pair.live, pair.sandbox]);
  });
  after(() => db.close());

  it('see their own tenant each, on a few connections, whatever fails beside them', async () => {
    const reads = Array.from({ length: 1000 }, (_, index) => tenants[index % tenants.length] as string);
    const answers = await Promise.allSettled(
      reads.map((tenant, index) =>
        db.read(tenant, index % 7 === 3 ? FAULT : index % 2 === 0 ? OWN_TENANT : OWN_TENANT_ONCE),
      ),
    );
    for (const [index, answer] of answers.entries()) {
      if (index % 7 === 3) expect(answer).to.have.property('status', 'rejected');
      else expect(answer).to.have.deep.property('value', [{ tenant_id: reads[index] }]);
    }
    expect(db.pool().total).to.be.at.most(5);
    expect(db.pool().idle, 'every connection is back in the pool').to.equal(db.pool().total);
  });

  it('leave nothing of their tenant behind on the connection', async () => {
    const [tenant] = tenants as [string];
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await db.read(tenant, OWN_TENANT)).to.have.length(1);
      const [left] = await db.query<{ ids: string }>({
        text: `select current_setting('app.tenant_ids', true) as ids`,
      });
      expect(left?.ids || null).to.equal(null);
      expect(await db.query(OWN_TENANT)).to.deep.equal([]);
    }
    expect(db.pool().total, 'one connection would have served all').to.be.at.most(5);
  });

  it('tell what is wrong with a statement each time it is sent', async () => {
    const [tenant] = tenants as [string];
    for (let turn = 0; turn < 3; turn += 1) {
      const [wrong, right] = await Promise.allSettled([
        db.read(tenant, { name: 'wrong', text: 'select nothing_like_that from tenants' }),
        db.read(tenant, OWN_TENANT),
      ]);
      expect(wrong).to.have.nested.property('reason.code', '42703');
      expect(right).to.have.deep.property('value', [{ tenant_id: tenant }]);
    }
  });

  it('leave writes a connection while all of theirs are busy', async () => {
    const [tenant] = tenants as [string];
    const slow = Array.from({ length: 4 }, () => db.read(tenant, SLOW));
    let isSlow = true;
    const ended = Promise.all(slow).then(() => {
      isSlow = false;
    });
    await db.transaction([tenant], async (tx) => expect(await tx.query(OWN_TENANT)).to.have.length(1));
    expect(isSlow).to.equal(true);
    await ended;
  });

  it('fail together when their connection is cut, as connection errors, and the next one gets a new connection', async () => {
    // The first one's reads were slow a moment ago, so they no longer share connections.
    const [, tenant] = tenants as [string, string];
    const cut = Array.from({ length: 12 }, () => db.read(tenant, SLOW));
    const settled = Promise.allSettled(cut);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await withClient(databaseUrl, (client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'shared-reads' and state <> 'idle'`,
      ),
    );
    const answers = await settled;
    for (const answer of answers) {
      expect(answer.status === 'rejected' && isConnectionError(answer.reason)).to.equal(true);
    }
    expect(await db.read(tenant, OWN_TENANT)).to.deep.equal([{ tenant_id: tenant }]);
  });
});
