import { expect } from 'chai';
import { isConnectionError } from '../../../shared/platform/errors.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { createTenantPair, createTenantPairIds } from '../../../shared/resources/tenants/create-tenant.js';
import { createDatabase } from '../../support/stores.js';
import { withPgClient } from '../../support/writes/rows.js';

const OWN_TENANT_QUERY = { name: 'own-tenant', text: 'select tenant_id from tenants' };
const FAILING_QUERY = { text: 'select 1 / 0 as never' };
/**
 * A query with neither a name nor values. By default, the pg library sends such a query over the
 * simple query protocol.
 */
const UNNAMED_OWN_TENANT_QUERY = { text: 'select tenant_id from tenants' };
const SLOW_QUERY = { text: 'select pg_sleep(0.5)' };

describe('reads that share connections', () => {
  let databaseUrl: string;
  let db: Database;
  let tenants: string[];

  before(async () => {
    databaseUrl = await createDatabase();
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    db = openDatabase({ databaseUrl, poolSize: 10, applicationName: 'shared-reads', logger });
    const pairs = Array.from({ length: 5 }, createTenantPairIds);
    for (const pair of pairs) {
      await db.transaction([pair.live, pair.sandbox], (tx) => createTenantPair(tx, pair, { name: 'T' }));
    }
    tenants = pairs.flatMap((pair) => [pair.live, pair.sandbox]);
  });
  after(() => db.close());

  it('1000 concurrent reads see only their own tenant, on at most 5 connections, although some fail', async () => {
    const reads = Array.from({ length: 1000 }, (_, index) => tenants[index % tenants.length] as string);
    const results = await Promise.allSettled(
      reads.map((tenant, index) =>
        db.read(
          tenant,
          index % 7 === 3 ? FAILING_QUERY : index % 2 === 0 ? OWN_TENANT_QUERY : UNNAMED_OWN_TENANT_QUERY,
        ),
      ),
    );
    for (const [index, result] of results.entries()) {
      if (index % 7 === 3) expect(result).to.have.property('status', 'rejected');
      else expect(result).to.have.deep.property('value', [{ tenant_id: reads[index] }]);
    }
    expect(db.getPoolStats().total).to.be.at.most(5);
    expect(db.getPoolStats().idle, 'every connection is back in the pool').to.equal(db.getPoolStats().total);
  });

  it('a read leaves no tenant setting behind on its connection', async () => {
    const [tenant] = tenants as [string];
    for (let round = 0; round < 3; round += 1) {
      expect(await db.read(tenant, OWN_TENANT_QUERY)).to.have.length(1);
      const [setting] = await db.query<{ ids: string }>({
        text: `select current_setting('app.tenant_ids', true) as ids`,
      });
      expect(setting?.ids || null).to.equal(null);
      expect(await db.query(OWN_TENANT_QUERY)).to.deep.equal([]);
    }
    expect(db.getPoolStats().total, 'one connection would have served all').to.be.at.most(5);
  });

  it('an invalid named query fails with the same error each time, and a read beside it succeeds', async () => {
    const [tenant] = tenants as [string];
    for (let round = 0; round < 3; round += 1) {
      const [wrong, right] = await Promise.allSettled([
        db.read(tenant, { name: 'wrong', text: 'select nothing_like_that from tenants' }),
        db.read(tenant, OWN_TENANT_QUERY),
      ]);
      expect(wrong).to.have.nested.property('reason.code', '42703');
      expect(right).to.have.deep.property('value', [{ tenant_id: tenant }]);
    }
  });

  it('a write gets a connection while all read connections are busy', async () => {
    const [tenant] = tenants as [string];
    const slow = Array.from({ length: 4 }, () => db.read(tenant, SLOW_QUERY));
    let isSlow = true;
    const ended = Promise.all(slow).then(() => {
      isSlow = false;
    });
    await db.transaction([tenant], async (tx) => expect(await tx.query(OWN_TENANT_QUERY)).to.have.length(1));
    expect(isSlow).to.equal(true);
    await ended;
  });

  it('reads on a terminated connection fail with connection errors, and the next read gets a new connection', async () => {
    // Use the second tenant. The test above made slow reads for the first tenant, whose reads
    // therefore no longer share connections.
    const [, tenant] = tenants as [string, string];
    const terminated = Array.from({ length: 12 }, () => db.read(tenant, SLOW_QUERY));
    const settled = Promise.allSettled(terminated);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await withPgClient(databaseUrl, (client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'shared-reads' and state <> 'idle'`,
      ),
    );
    const results = await settled;
    for (const result of results) {
      expect(result.status === 'rejected' && isConnectionError(result.reason)).to.equal(true);
    }
    expect(await db.read(tenant, OWN_TENANT_QUERY)).to.deep.equal([{ tenant_id: tenant }]);
  });
});
