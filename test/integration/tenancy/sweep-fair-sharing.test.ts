import { expect } from 'chai';
import type { SqlQuery, Transaction } from '../../../shared/platform/postgres/database.js';
import { useStack } from '../../support/use-stack.js';
import { LIMITED_SWEEPS, type LimitedSweep } from '../../support/writes/due-rows.js';
import { explainRun } from '../../support/writes/explain.js';

const LIMIT = 10;
const ACCOUNTS = 5;
/** Number of rows of each account that are not due. */
const OTHER_ROWS = 400;
const DUE_ROWS = 4;

function listTenantIds(found: unknown[]): string[] {
  return (found as { tenantId?: string; tenant_id?: string }[]).map(
    ({ tenantId, tenant_id }) => tenantId ?? tenant_id ?? '',
  );
}

/** Returns the query that the sweep sends, so that the test can run it with EXPLAIN. */
async function captureQuery({ find }: LimitedSweep): Promise<SqlQuery> {
  let seen: SqlQuery | undefined;
  const query = async (dbQuery: SqlQuery) => {
    seen = dbQuery;
    return [];
  };
  await find({ query } as unknown as Transaction, 1000);
  return seen as SqlQuery;
}

describe('sweeps that share a row limit between accounts', () => {
  const stack = useStack({ worker: false });

  const makeTenants = async (count: number) => {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) ids.push((await stack.createTenant()).id);
    return ids;
  };

  for (const [name, sweep] of Object.entries(LIMITED_SWEEPS)) {
    it(`the sweep ${name} finds an account's only due row in its first pass, however many another account has`, async () => {
      // The account with many rows has the lower id. Without fair sharing, the sweep would
      // therefore find only that account's rows.
      const [many, few] = (await makeTenants(2)) as [string, string];
      await stack.rows(many, sweep.dueSql, [many, 5 * LIMIT]);
      await stack.rows(few, sweep.dueSql, [few, 1]);
      const { db } = stack.runtime;
      const found = await db.transaction([many, few], (tx) => sweep.find(tx, LIMIT));
      const tenants = listTenantIds(found);
      expect(tenants).to.have.length(LIMIT);
      expect(tenants.filter((id) => id === few)).to.deep.equal([few]);
    });

    it(`the sweep ${name} gives the whole pass to the only account with due rows`, async () => {
      const [alone, idle] = (await makeTenants(2)) as [string, string];
      await stack.rows(alone, sweep.dueSql, [alone, LIMIT]);
      const { db } = stack.runtime;
      const found = await db.transaction([idle, alone], (tx) => sweep.find(tx, LIMIT));
      expect(listTenantIds(found)).to.deep.equal(Array.from({ length: LIMIT }, () => alone));
    });

    it(`the sweep ${name} finds an account's due rows by an index`, async () => {
      const ids = await makeTenants(ACCOUNTS);
      for (const id of ids) await stack.rows(id, sweep.otherSql, [id, OTHER_ROWS]);
      const [first] = ids as [string];
      await stack.rows(first, sweep.dueSql, [first, DUE_ROWS]);
      const nodes = await explainRun(stack.runtime.db, ids.join(), await captureQuery(sweep));
      expect(nodes.map((node) => node['Node Type'])).to.not.include('Seq Scan');
      const leading = nodes.filter((node) => sweep.indexes.includes(node['Index Name'] ?? ''));
      expect(leading, JSON.stringify(nodes.map((node) => node['Index Name']))).to.not.deep.equal([]);
      if (!sweep.readsDueOnly) return;
      const read = leading.map(
        (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      );
      expect(Math.max(...read)).to.be.at.most(DUE_ROWS + ACCOUNTS);
    });
  }
});
