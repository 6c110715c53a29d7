/** Runs `tow` as a separate process, against a real PostgreSQL. */
import { execFile } from 'node:child_process';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { MIGRATION_HEAD, migrations } from '../../../migrations/index.js';
import { verifyPassword } from '../../../shared/platform/crypto.js';
import { newId } from '../../../shared/platform/ids.js';
import { findKey } from '../../../shared/resources/api-keys/queries.js';
import { insertFactors } from '../../../shared/resources/factors/factor-rows.js';
import { issueKey } from '../../support/keys.js';
import { resolveClusterDir } from '../../support/load/embedded-postgres-fixture.js';
import { useRealPasswords } from '../../support/password-cost.js';
import { withPgClient } from '../../support/writes/rows.js';
import { type Cli, type CliJsonRun, useCli } from './cli-fixture.js';

const NOWHERE = 'postgres://tow:secret@127.0.0.1:1/tow';

describe('tow, the command line', function () {
  this.timeout(120_000);
  useRealPasswords();
  const cli = useCli();
  const run: Cli['run'] = (...args) => cli.run(...args);
  const tow: Cli['tow'] = (...args) => cli.tow(...args);

  const readCheckStatuses = ({ data }: CliJsonRun): Record<string, string> =>
    Object.fromEntries(data.checks.map(({ name, status }) => [name, status]));

  /** Finds the tenant that an earlier test of this block created. */
  const readFirstTenant = async () => (await tow(['tenants', 'list'])).data.items[0] ?? { id: 'none' };

  it('the build makes dist/bin/tow.js executable, because npx does so only on its first use of a folder', async () => {
    const { stdout } = await promisify(execFile)('dist/bin/tow.js', ['--version']);
    expect(stdout).to.match(/\d+\.\d+\.\d+/);
  });

  it('tow prints help, and exits with 2 on a wrong command line', async () => {
    const [help, version, unknown, missing, none] = await Promise.all([
      run('bin/tow.js', ['help']),
      tow(['--version']),
      tow(['tenants', 'destroy']),
      tow(['keys', 'create', '--name', 'x']),
      run('bin/tow.js', []),
    ]);
    expect(help.code).to.equal(0);
    expect(help.out).to.include('tow keys create').and.to.include('Exit codes');
    expect(version.data.version).to.match(/^\d+\.\d+\.\d+/);
    expect([unknown.code, unknown.error.code]).to.deep.equal([2, 'usage']);
    expect(missing.code).to.equal(2);
    expect(missing.error.message).to.match(/--tenant is missing/);
    expect([none.code, none.out]).to.deep.equal([2, '']);
    expect(none.err).to.include('tow help');
  });

  it('tow migrate is repeatable, and tow doctor reports the state before and after', async () => {
    const before = await tow(['doctor']);
    expect([before.code, before.ok, before.error.code]).to.deep.equal([1, false, 'unhealthy']);
    expect(readCheckStatuses(before)).to.include({
      postgres: 'ok',
      role: 'fail',
      migrations: 'fail',
      data_dir: 'ok',
    });
    const early = await tow(['tenants', 'list']);
    expect([early.code, early.error.code]).to.deep.equal([1, 'not_migrated']);
    const first = await tow(['migrate']);
    expect([first.code, first.data.applied.length, first.data.head]).to.deep.equal([
      0,
      migrations.length,
      MIGRATION_HEAD,
    ]);
    expect((await tow(['migrate'])).data.applied).to.deep.equal([]);
    const after = await run('bin/tow.js', ['doctor']);
    expect(after.code, after.out).to.equal(0);
    expect(after.out)
      .to.match(/^ok +postgres +PostgreSQL \d+, [\d.]+ ms$/m)
      .and.not.to.include('fail');
  });

  it('tow doctor accepts a database that a later version has migrated', async () => {
    const later = await withPgClient(cli.databaseUrl, async (client) => {
      await client.query(
        "insert into schema_migrations (name, batch, migration_time) values ('99990101000000_later', 99, now())",
      );
      const seen = await tow(['doctor']);
      await client.query("delete from schema_migrations where name = '99990101000000_later'");
      return seen;
    });
    expect([later.code, readCheckStatuses(later).migrations]).to.deep.equal([0, 'ok']);
  });

  it('tow doctor reports rows outside the weekly partitions', async () => {
    const tenantId = newId();
    const unhealthy = await withPgClient(cli.databaseUrl, async (client) => {
      await client.query("select set_config('app.tenant_ids', $1, false)", [tenantId]);
      await client.query(
        `insert into events (tenant_id, id, type, body) values ($1, 'ffffffff-ffff-7fff-8fff-ffffffffffff', 'x.made', '{}')`,
        [tenantId],
      );
      const found = await run('bin/tow.js', ['doctor']);
      await client.query('delete from events where tenant_id = $1', [tenantId]);
      return found;
    });
    expect(unhealthy.code).to.equal(1);
    expect(unhealthy.out).to.match(/^fail +partitions +events_default holds rows \(1\)/m);
  });

  it('tow doctor names late schedules and the accounts that a sweep leaves out', async () => {
    const tenantId = newId();
    const doctor = await withPgClient(cli.databaseUrl, async (client) => {
      await client.query("select set_config('app.tenant_ids', $1, false)", [tenantId]);
      await client.query(
        `insert into tenants (tenant_id, name, environment, time_zone) values ($1, 'Samoa Towing', 'live', 'SST')`,
        [tenantId],
      );
      await client.query(
        `insert into sweep_faults (tenant_id, task, error) values ($1, 'mark-overdue', 'time zone "SST" not recognized')`,
        [tenantId],
      );
      await client.query(
        `insert into clock.schedule_runs (schedule, last_succeeded_at, last_failed_at, last_error)
         values ('mark-overdue', now(), null, null), ('accrue-storage', now() - interval '1 day', now(), 'out of memory')`,
      );
      const found = await run('bin/tow.js', ['doctor']);
      await client.query('delete from clock.schedule_runs');
      await client.query('delete from sweep_faults where tenant_id = $1', [tenantId]);
      await client.query('delete from tenants where tenant_id = $1', [tenantId]);
      return found;
    });
    expect(doctor.code, doctor.out).to.equal(1);
    expect(doctor.out).to.match(/^fail +clock +accrue-storage last succeeded at .* \(out of memory\)$/m);
    expect(doctor.out).to.match(
      new RegExp(
        `^fail +accounts +${tenantId} has the time zone SST, .*; ${tenantId} is left out of mark-overdue`,
        'm',
      ),
    );
    const healthy = await run('bin/tow.js', ['doctor']);
    expect(healthy.out)
      .to.match(/^ok +clock +no clock has run/m)
      .and.to.match(/^ok +accounts /m);
  });

  it('tow creates a tenant and its keys, and lists and revokes keys', async () => {
    const made = await tow([
      'tenants',
      'create',
      '--name',
      ' Acme Towing ',
      '--time-zone',
      'America/Denver',
      '--tier',
      'premium',
    ]);
    expect(made.data).to.include({ name: 'Acme Towing', tier: 'premium', time_zone: 'America/Denver' });
    const { id: tenant, sandbox_id: sandbox } = made.data;
    const create = (...args: string[]) =>
      tow(['keys', 'create', '--tenant', tenant, '--name', 'Dispatch', ...args]);
    const [live, sandboxKey, agent, expiredKey] = await Promise.all([
      create('--permissions', 'read,admin'),
      create('--sandbox', '--read-only'),
      create('--agent', '--scopes', 'read_invoices,read_audit', '--read-only'),
      create('--expires-at', '2020-01-01T00:00:00Z'),
    ]);
    expect(await findKey(cli.db, live.data.key)).to.deep.include({
      tenantId: tenant,
      permissions: ['read', 'admin'],
      revoked: false,
    });
    expect(await findKey(cli.db, sandboxKey.data.key)).to.deep.include({
      tenantId: sandbox,
      permissions: ['read'],
      readOnly: true,
    });
    expect(await findKey(cli.db, agent.data.key)).to.deep.include({
      kind: 'agent',
      scopes: ['read_invoices', 'read_audit'],
      permissions: [],
    });
    expect(agent.data.key).to.match(/^tk_agent_/);
    expect((await findKey(cli.db, expiredKey.data.key))?.expiresAt).to.equal(
      Date.parse('2020-01-01T00:00:00Z'),
    );
    const revoked = await tow(['keys', 'revoke', '--tenant', tenant, live.data.id]);
    expect([revoked.code, revoked.data.id]).to.deep.equal([0, live.data.id]);
    expect((await findKey(cli.db, live.data.key))?.revoked).to.equal(true);
    const [listed, tenants, again] = await Promise.all([
      tow(['keys', 'list', '--tenant', tenant]),
      tow(['tenants', 'list']),
      tow(['keys', 'revoke', '--tenant', tenant, live.data.id]),
    ]);
    expect(listed.data.items.map((key) => key.id)).to.have.members(
      [live, agent, expiredKey].map(({ data }) => data.id),
    );
    expect(JSON.stringify(listed)).not.to.include(live.data.key);
    expect(tenants.data.items.map((row) => row.id)).to.deep.equal([tenant, sandbox]);
    expect(again.data.revoked_at).to.equal(revoked.data.revoked_at);
    const audit = await cli.db.read<{ action: string }>(tenant, {
      text: `select action from audit_entries where actor_type = 'system' and source = 'job' and outcome = 'ok' order by action`,
    });
    const actions = audit.map(({ action }) => action);
    const keys = ['agent_key.created', ...Array(2).fill('api_key.created')];
    expect(actions).to.deep.equal([...keys, 'api_key.revoked', 'tenant.created']);
  });

  it('tow keys create refuses an account that has 100 live keys', async () => {
    const { id: tenant } = (await tow(['tenants', 'create', '--name', 'Many Keys'])).data;
    const store = { db: cli.db, config: { secretKey: 'a secret of no process: these keys are never used' } };
    for (let nth = 0; nth < 100; nth += 1) await issueKey(store, String(tenant));
    const refused = await tow(['keys', 'create', '--tenant', String(tenant), '--name', 'one more']);
    expect([refused.code, refused.error.code]).to.deep.equal([1, 'conflict']);
    expect(refused.error.message).to.include('100 live keys at most');
    const inSandbox = await tow([
      'keys',
      'create',
      '--tenant',
      String(tenant),
      '--sandbox',
      '--name',
      'twin',
    ]);
    expect(inSandbox.code).to.equal(0);
  });

  it('tow users create shows the password once, stores its hash, and refuses a second user with the e-mail', async () => {
    const { id: tenant } = await readFirstTenant();
    const person = ['--name', 'Dana', '--email', 'dana@example.com'];
    const made = await tow(['users', 'create', '--tenant', tenant, ...person]);
    expect([made.code, made.data.email]).to.deep.equal([0, 'dana@example.com']);
    const password = String(made.data.password);
    const rows = await cli.db.read<{ password_hash: string }>(tenant, { text: 'select * from users' });
    expect(rows).to.have.length(1);
    expect(JSON.stringify(rows)).to.not.include(password);
    expect(await verifyPassword(password, rows[0]?.password_hash ?? '')).to.equal(true);
    const again = await tow(['users', 'create', '--tenant', tenant, ...person]);
    expect([again.code, again.error.code]).to.deep.equal([2, 'usage']);
  });

  it('tow users remove-factors removes the second factors of one person', async () => {
    const { id: tenant } = await readFirstTenant();
    const email = 'dora@example.com';
    const made = await tow(['users', 'create', '--tenant', tenant, '--name', 'Dora', '--email', email]);
    const factor = { kind: 'recovery_codes' as const, name: 'Codes', code_hashes: ['x'] };
    const ref = { tenant_id: tenant, id: newId(), user_id: String(made.data.id) };
    await cli.db.transaction([tenant], (tx) => insertFactors(tx, [{ ...ref, ...factor }]));
    const removed = await tow(['users', 'remove-factors', '--tenant', tenant, '--email', email]);
    expect([removed.code, removed.data]).to.deep.equal([0, { removed: 1 }]);
    const rows = await cli.db.read<{ removed_at: Date | null }>(tenant, {
      text: 'select * from user_factors',
    });
    expect(rows.map(({ removed_at: at }) => at !== null)).to.deep.equal([true]);
    const unknown = ['users', 'remove-factors', '--tenant', tenant, '--email', 'nobody@example.com'];
    expect((await tow(unknown)).code).to.equal(2);
  });

  it('tow reports errors with exit codes 2, 3, 4 and 5', async () => {
    const tenant = await readFirstTenant();
    const key = ['keys', 'create', '--name', 'x', '--tenant'];
    const codes = await Promise.all([
      tow([...key, tenant.id, '--agent', '--scopes', 'propose_approvals', '--read-only']),
      tow([...key, tenant.id, '--permissions', 'everything']),
      tow(['tenants', 'create', '--name', 'X', '--time-zone', 'Mars/Olympus']),
      tow(['tenants', 'create', '--name', 'X', '--time-zone', 'SST']),
      tow(['tenants', 'create', '--name', 'X', '--time-zone', 'Factory']),
      tow(['tenants', 'list'], { LOG_LEVEL: 'loud' }),
      tow(['tenants', 'list'], { DATABASE_URL: cli.databaseUrl.replace(/:[^:@/]+@/, ':wrong@') }),
      tow([...key, newId()]),
      tow(['keys', 'revoke', '--tenant', tenant.id, newId()]),
      tow(['migrate'], { DATABASE_URL: NOWHERE }),
      tow(['doctor'], { DATABASE_URL: NOWHERE }),
    ]);
    expect(codes.map(({ code }) => code)).to.deep.equal([2, 2, 2, 2, 2, 3, 3, 4, 4, 5, 5]);
    expect(codes.map(({ ok }) => ok)).to.deep.equal(codes.map(() => false));
    expect(JSON.stringify(codes)).not.to.include('secret@');
    expect(readCheckStatuses(codes.at(-1) as CliJsonRun)).to.include({
      postgres: 'fail',
      role: 'skip',
      migrations: 'skip',
      node: 'ok',
    });
  });

  it('tow commands lists parked commands and returns one to the clock', async () => {
    const tenant = await readFirstTenant();
    const id = newId();
    const command = JSON.stringify({ id, type: 'invoice.create', tenantId: tenant.id, idempotency: null });
    await cli.db.transaction([tenant.id], (tx) =>
      tx.query({
        text: 'insert into command_attempts (tenant_id, command_id, command, attempts, parked_at) values ($1, $2, $3, 4, now())',
        values: [tenant.id, id, command],
      }),
    );
    const parked = await tow(['commands', 'parked']);
    expect(parked.data.items).to.have.length(1);
    expect(parked.data.items[0]).to.include({
      command_id: id,
      tenant_id: tenant.id,
      type: 'invoice.create',
      attempts: 4,
    });
    expect((await tow(['commands', 'replay', id, '--tenant', tenant.id])).data.status).to.equal('queued');
    const [row] = await cli.db.read(tenant.id, {
      text: `select o.command->>'type' as type, o.lease_until <= now() as due, a.attempts, a.parked_at
             from operations o join command_attempts a on a.command_id = o.id`,
    });
    expect(row).to.deep.equal({ type: 'invoice.create', due: true, attempts: 0, parked_at: null });
    const [again, unknown] = await Promise.all([
      tow(['commands', 'replay', id, '--tenant', tenant.id]),
      tow(['commands', 'replay', newId(), '--tenant', tenant.id]),
    ]);
    expect([again.code, again.error.code, unknown.code]).to.deep.equal([1, 'not_parked', 4]);
  });

  it('tow uses the embedded database of a running process, and starts its own when none runs', async () => {
    const running = await tow(['tenants', 'list'], { DATABASE_URL: '' });
    expect(running.data.items[0]).to.include({ name: 'Acme Towing' });
    const dataDir = join(cli.folder, 'own');
    const own = { DATABASE_URL: '', DATA_DIR: dataDir };
    expect((await tow(['migrate'], own)).code).to.equal(0);
    expect((await tow(['tenants', 'list'], own)).data.items).to.deep.equal([]);
    const hasOwnerFile = await access(join(dataDir, 'owner.pid')).then(
      () => true,
      () => false,
    );
    expect(hasOwnerFile).to.equal(false);
    await rm(await resolveClusterDir(dataDir), { recursive: true, force: true });
  });
});
