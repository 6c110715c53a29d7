import { expect } from 'chai';
import { migrations } from '../../../migrations/index.js';
import { migrate, migrateUpTo } from '../../../migrations/migrate.js';
import { UNUSABLE_PASSWORD_HASH } from '../../../shared/platform/crypto.js';
import { newId } from '../../../shared/platform/ids.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { createEmptyDatabase } from '../../support/stores.js';
import { withPgClient } from '../../support/writes/rows.js';

const PREVIOUS_MIGRATION = migrations.filter(({ name }) => name < '20261126220000').at(-1)?.name as string;

describe('the migration to roles', () => {
  it('the oldest person who can sign in becomes the owner of each account, and all others are admins', async () => {
    const databaseUrl = await createEmptyDatabase();
    await migrateUpTo(databaseUrl, PREVIOUS_MIGRATION);
    const [first, second] = [newId(), newId()];
    const insertPeople = async (
      tenantId: string,
      people: [name: string, hash: string, gone: string | null][],
    ) =>
      withPgClient(databaseUrl, async (client) => {
        await client.query("select set_config('app.tenant_ids', $1, false)", [tenantId]);
        await client.query(`insert into tenants (tenant_id, name, environment) values ($1, 'T', 'live')`, [
          tenantId,
        ]);
        for (const [nth, [name, hash, gone]] of people.entries())
          await client.query(
            `insert into users (tenant_id, id, email, name, password_hash, created_at, deactivated_at)
             values ($1, $2, $3, $4, $5, now() + $6 * interval '1 s', $7)`,
            [tenantId, newId(), `${name}@example.com`, name, hash, nth, gone],
          );
      });
    await insertPeople(first, [
      ['gone', 'hash', '2026-01-01'],
      ['without-password', UNUSABLE_PASSWORD_HASH, null],
      ['oldest', 'hash', null],
      ['younger', 'hash', null],
    ]);
    await insertPeople(second, [['alone', UNUSABLE_PASSWORD_HASH, null]]);
    await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: true });
    const roles = await withPgClient(databaseUrl, async (client) => {
      await client.query("select set_config('app.tenant_ids', $1, false)", [`${first},${second}`]);
      const { rows } = await client.query<{ name: string; role: string }>(
        'select name, role from users order by name',
      );
      const forced = await client.query(
        `select relforcerowsecurity from pg_class where oid = 'users'::regclass`,
      );
      return { rows, isForced: forced.rows[0]?.relforcerowsecurity };
    });
    expect(Object.fromEntries(roles.rows.map(({ name, role }) => [name, role]))).to.deep.equal({
      alone: 'owner',
      gone: 'admin',
      oldest: 'owner',
      'without-password': 'admin',
      younger: 'admin',
    });
    expect(roles.isForced).to.equal(true);
  });
});
