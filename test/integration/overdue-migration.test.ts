import { expect } from 'chai';
import { migrations } from '../../migrations/index.js';
import { migrate, migrateUpTo } from '../../migrations/migrate.js';
import { newId } from '../../shared/platform/ids.js';
import { createLogger } from '../../shared/platform/logger.js';
import { openDatabase } from '../../shared/platform/postgres.js';
import { appRoleOf } from '../../shared/platform/postgres-session.js';
import { findOverdue } from '../../shared/resources/invoices/overdue-sweep.js';
import { applyTermsChanges } from '../../shared/resources/invoices/terms-changes.js';
import { withClient } from '../support/rows.js';
import { createEmptyDatabase } from '../support/stores.js';

const BEFORE = migrations.filter(({ name }) => name < '20261123020100').at(-1)?.name as string;

describe('an account made before the overdue sweep had ranges', () => {
  it('has its invoices found, those with a club left out, and what an old process writes kept up to date', async () => {
    const databaseUrl = await createEmptyDatabase();
    await migrateUpTo(databaseUrl, BEFORE);
    const [tenantId, payer] = [newId(), newId()];
    const [open, lying, approved] = [newId(), newId(), newId()];
    const asOldProcess = (text: string, values: unknown[]) =>
      withClient(databaseUrl, async (client) => {
        await client.query("select set_config('app.tenant_ids', $1, false)", [tenantId]);
        await client.query(text, values);
      });
    await asOldProcess(`insert into tenants (tenant_id, name, environment) values ($1, 'T', 'live')`, [
      tenantId,
    ]);
    await asOldProcess(
      `insert into customers (tenant_id, id, company_name, company_type, terms_days) values ($1, $2, 'C', 'other', 5)`,
      [tenantId, payer],
    );
    await asOldProcess(
      `insert into invoices (tenant_id, id, invoice_number, status, customer_id, released_at, due_date)
       values ($1, $3, '1', 'sending', $2, now() - interval '20 days', null),
              ($1, $4, '2', 'sent_to_roadsync', null, now() - interval '20 days', now() - interval '9 days'),
              ($1, $5, '3', 'approved', $2, null, null)`,
      [tenantId, payer, open, lying, approved],
    );
    await asOldProcess(
      `insert into claims (tenant_id, id, invoice_id, club, status, submit_by, expected_cents) values ($1, $2, $3, 'Club', 'submitted', now(), 1)`,
      [tenantId, newId(), lying],
    );
    await migrate({ databaseUrl, appRole: appRoleOf(databaseUrl), withQueue: true });

    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    const db = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'test', logger });
    const sweep = async () =>
      (await db.transaction([tenantId], (tx) => findOverdue(tx, 100))).map(({ entityId }) => entityId);
    for (let pass = 0; pass < 2; pass += 1)
      await db.transaction([tenantId], (tx) => applyTermsChanges(tx, 100));
    expect(await sweep()).to.deep.equal([open]);
    const [row] = await db.read(tenantId, {
      text: 'select is_with_club from invoices where tenant_id = $1 and id = $2',
      values: [tenantId, lying],
    });
    expect(row).to.deep.equal({ is_with_club: true });
    // A process of the version before knows none of the new columns.
    await asOldProcess(
      `update invoices set status = 'sending', released_at = now() - interval '6 days' where tenant_id = $1 and id = $2`,
      [tenantId, approved],
    );
    expect(await sweep()).to.have.members([open, approved]);
    await asOldProcess(`update claims set status = 'denied' where tenant_id = $1`, [tenantId]);
    expect(await sweep()).to.have.members([open, approved, lying]);
    await db.close();
  });
});
