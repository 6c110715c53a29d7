import { expect } from 'chai';
import type pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { migrate, migrateUpTo } from '../../../migrations/migrate.js';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { openDatabase } from '../../../shared/platform/postgres/database.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { findOverdueInvoices } from '../../../shared/resources/invoices/overdue-sweep.js';
import { applyTermsChanges } from '../../../shared/resources/invoices/terms-changes.js';
import { createEmptyDatabase } from '../../support/stores.js';
import { withPgClient } from '../../support/writes/rows.js';

const PREVIOUS_MIGRATION = migrations.filter(({ name }) => name < '20261123020100').at(-1)?.name as string;

/** Grants rights as releases before this migration did: only on the tables that already exist. */
async function grantLikePreviousVersion(client: pg.Client, appRole: string): Promise<void> {
  await client.query(`
    do $$ begin create role ${appRole} nologin; exception when duplicate_object or unique_violation then null; end $$;
    grant ${appRole} to current_user;
    grant select, insert, update, delete on all tables in schema public to ${appRole}`);
}

describe('the migration to the ranges of the overdue sweep', () => {
  it('the overdue sweep finds invoices from before the migration, skips those with a motor club, and follows writes of an old process', async () => {
    const databaseUrl = await createEmptyDatabase();
    await migrateUpTo(databaseUrl, PREVIOUS_MIGRATION);
    const [tenantId, payer] = [newId(), newId()];
    const [open, withClub, approved] = [newId(), newId(), newId()];
    const appRole = getAppRole(databaseUrl);
    await withPgClient(databaseUrl, (client) => grantLikePreviousVersion(client, appRole));
    const runAsOldProcess = (text: string, values: unknown[]) =>
      withPgClient(databaseUrl, async (client) => {
        await client.query(`set role ${appRole}`);
        await client.query("select set_config('app.tenant_ids', $1, false)", [tenantId]);
        await client.query(text, values);
      });
    await runAsOldProcess(`insert into tenants (tenant_id, name, environment) values ($1, 'T', 'live')`, [
      tenantId,
    ]);
    await runAsOldProcess(
      `insert into customers (tenant_id, id, company_name, company_type, terms_days) values ($1, $2, 'C', 'other', 5)`,
      [tenantId, payer],
    );
    await runAsOldProcess(
      `insert into invoices (tenant_id, id, invoice_number, status, customer_id, released_at, due_date)
       values ($1, $3, '1', 'sending', $2, now() - interval '20 days', null),
              ($1, $4, '2', 'sent_to_roadsync', null, now() - interval '20 days', now() - interval '9 days'),
              ($1, $5, '3', 'approved', $2, null, null)`,
      [tenantId, payer, open, withClub, approved],
    );
    await runAsOldProcess(
      `insert into claims (tenant_id, id, invoice_id, club, status, submit_by, expected_cents) values ($1, $2, $3, 'Club', 'submitted', now(), 1)`,
      [tenantId, newId(), withClub],
    );
    await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: true });

    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    const db = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'test', logger });
    const findOverdueIds = async () =>
      (await db.transaction([tenantId], (tx) => findOverdueInvoices(tx, 100))).map(
        ({ entityId }) => entityId,
      );
    for (let pass = 0; pass < 2; pass += 1)
      await db.transaction([tenantId], (tx) => applyTermsChanges(tx, 100));
    expect(await findOverdueIds()).to.deep.equal([open]);
    const [row] = await db.read(tenantId, {
      text: 'select is_with_club from invoices where tenant_id = $1 and id = $2',
      values: [tenantId, withClub],
    });
    expect(row).to.deep.equal({ is_with_club: true });
    // A process of an earlier release does not write the columns that the migration added.
    await runAsOldProcess(
      `update invoices set status = 'sending', released_at = now() - interval '6 days' where tenant_id = $1 and id = $2`,
      [tenantId, approved],
    );
    expect(await findOverdueIds()).to.have.members([open, approved]);
    await runAsOldProcess(`update claims set status = 'denied' where tenant_id = $1`, [tenantId]);
    expect(await findOverdueIds()).to.have.members([open, approved, withClub]);
    await db.close();
  });

  it('an old process can write while later migrations still run, and triggers fill the new tables', async () => {
    const databaseUrl = await createEmptyDatabase();
    const appRole = getAppRole(databaseUrl);
    const [tenantId, customerId] = [newId(), newId()];
    await migrateUpTo(databaseUrl, PREVIOUS_MIGRATION);
    await withPgClient(databaseUrl, async (client) => {
      await grantLikePreviousVersion(client, appRole);
      await client.query("select set_config('app.tenant_ids', $1, false)", [tenantId]);
      await client.query(
        "insert into customers (tenant_id, id, company_name, company_type) values ($1, $2, 'C', 'other')",
        [tenantId, customerId],
      );
    });
    await withPgClient(databaseUrl, async (blocker) => {
      await blocker.query('begin; lock table approvals in access share mode');
      // The migrations stop before they grant rights, because the migration `bound_agents` does not
      // get its lock.
      const error = await migrate({ databaseUrl, appRole, withQueue: true }).catch((cause: unknown) => cause);
      expect(String(error)).to.contain('lock timeout');
    });
    await withPgClient(databaseUrl, async (client) => {
      await client.query(`set role ${appRole}`);
      await client.query("select set_config('app.tenant_ids', $1, false)", [tenantId]);
      await client.query("update customers set terms_days = 9, company_name = 'Acme' where tenant_id = $1", [
        tenantId,
      ]);
      const { rows } = await client.query('select customer_id from terms_changes where tenant_id = $1', [
        tenantId,
      ]);
      expect(rows).to.deep.equal([{ customer_id: customerId }]);
      const { rows: entries } = await client.query(
        'select id, cardinality(keys) as keys from search_entries where tenant_id = $1',
        [tenantId],
      );
      expect(entries).to.deep.equal([{ id: customerId, keys: 2 }]);
    });
    expect(await migrate({ databaseUrl, appRole, withQueue: true })).to.include(
      '20261123060000_bound_agents',
    );
  });
});
