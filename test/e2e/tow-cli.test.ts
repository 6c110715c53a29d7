/** `tow`, `release` and `demo:reset` as processes of their own, against a real PostgreSQL. */
import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { MIGRATION_HEAD, migrations } from '../../migrations/index.js';
import type { DemoFile } from '../../shared/demo/demo-file.js';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../shared/platform/embedded-postgres/start.js';
import { newId } from '../../shared/platform/ids.js';
import { createLogger } from '../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../shared/platform/postgres.js';
import { findKey } from '../../shared/resources/api-keys/queries.js';

const PROJECT = resolve(import.meta.dirname, '../..');
const NOWHERE = 'postgres://tow:secret@127.0.0.1:1/tow';

interface Run {
  code: number;
  out: string;
  err: string;
}

interface JsonRun {
  code: number;
  ok: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: every command has a shape of its own, and the assertions are the check
  data: any;
  error: { code: string; message: string };
}

describe('tow, the command line', function () {
  this.timeout(40_000);
  const logger = createLogger({ level: 'silent', pretty: false, name: 'test' });
  let folder: string;
  let server: EmbeddedPostgres;
  let db: Database;
  let environment: Record<string, string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tow-cli-test-'));
    const dataDir = join(folder, 'data');
    server = await startEmbeddedPostgres({ dataDir, logger });
    environment = { DATA_DIR: dataDir, DATABASE_URL: server.databaseUrl };
    db = open('cli test');
  });
  after(async () => {
    await db?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function open(applicationName: string): Database {
    return openDatabase({ databaseUrl: server.databaseUrl, poolSize: 2, applicationName, logger });
  }

  /** Runs an entry file with the settings of this block; '' takes one away. */
  function run(file: string, args: string[], settings: Record<string, string> = {}): Promise<Run> {
    const env = { PATH: process.env.PATH ?? '', ...environment, ...settings };
    return new Promise((done) => {
      execFile(
        process.execPath,
        ['--import', 'tsx', file, ...args],
        { cwd: PROJECT, env },
        (error, out, err) => done({ code: error ? Number(error.code) : 0, out, err }),
      );
    });
  }

  /** As {@link run} for `tow … --json`; whatever the outcome, standard output is one JSON document. */
  async function tow(args: string[], settings: Record<string, string> = {}): Promise<JsonRun> {
    const { code, out } = await run('bin/tow.ts', [...args, '--json'], settings);
    expect(out.trim().split('\n')).to.have.length(1);
    return { code, ...(JSON.parse(out) as Omit<JsonRun, 'code'>) };
  }

  const statusOf = ({ data }: JsonRun): Record<string, string> =>
    Object.fromEntries(
      data.checks.map(({ name, status }: { name: string; status: string }) => [name, status]),
    );

  it('explains itself and answers a wrong command line with 2', async () => {
    const [help, version, unknown, missing, none] = await Promise.all([
      run('bin/tow.ts', ['help']),
      tow(['--version']),
      tow(['tenants', 'destroy']),
      tow(['keys', 'create', '--name', 'x']),
      run('bin/tow.ts', []),
    ]);
    expect(help.code).to.equal(0);
    expect(help.out).to.include('tow keys create').and.to.include('Exit codes');
    expect(version.data.version).to.match(/^\d+\.\d+\.\d+/);
    expect([unknown.code, unknown.error.code]).to.deep.equal([2, 'usage']);
    expect([missing.code, missing.error.message])
      .to.deep.include(2)
      .and.to.match(/--tenant is missing/);
    expect([none.code, none.out]).to.deep.equal([2, '']);
    expect(none.err).to.include('tow help');
  });

  it('migrates, again without effect, and doctor tells before and after', async () => {
    const before = await tow(['doctor']);
    expect([before.code, before.ok, before.error.code]).to.deep.equal([1, false, 'unhealthy']);
    expect(statusOf(before)).to.include({ postgres: 'ok', role: 'fail', migrations: 'fail', data_dir: 'ok' });
    const early = await tow(['tenants', 'list']);
    expect([early.code, early.error.code]).to.deep.equal([1, 'not_migrated']);
    const first = await tow(['migrate']);
    expect([first.code, first.data.applied.length, first.data.head]).to.deep.equal([
      0,
      migrations.length,
      MIGRATION_HEAD,
    ]);
    expect((await tow(['migrate'])).data.applied).to.deep.equal([]);
    const after = await run('bin/tow.ts', ['doctor']);
    expect(after.code, after.out).to.equal(0);
    expect(after.out)
      .to.match(/^ok +postgres +PostgreSQL \d+, [\d.]+ ms$/m)
      .and.not.to.include('fail');
  });

  it('makes a tenant and its keys, lists and revokes them', async () => {
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
    const [live, twin, agent, ended] = await Promise.all([
      create('--permissions', 'read,admin'),
      create('--sandbox', '--read-only'),
      create('--agent', '--scopes', 'read_invoices,read_audit', '--read-only'),
      create('--expires-at', '2020-01-01T00:00:00Z'),
    ]);
    expect(await findKey(db, live.data.key)).to.deep.include({
      tenantId: tenant,
      permissions: ['read', 'admin'],
      revoked: false,
    });
    expect(await findKey(db, twin.data.key)).to.deep.include({
      tenantId: sandbox,
      permissions: ['read'],
      readOnly: true,
    });
    expect(await findKey(db, agent.data.key)).to.deep.include({
      kind: 'agent',
      scopes: ['read_invoices', 'read_audit'],
      permissions: [],
    });
    expect(agent.data.key).to.match(/^tk_agent_/);
    expect((await findKey(db, ended.data.key))?.expiresAt).to.equal(Date.parse('2020-01-01T00:00:00Z'));
    const revoked = await tow(['keys', 'revoke', '--tenant', tenant, live.data.id]);
    expect([revoked.code, revoked.data.id]).to.deep.equal([0, live.data.id]);
    expect((await findKey(db, live.data.key))?.revoked).to.equal(true);
    const [listed, tenants, again] = await Promise.all([
      tow(['keys', 'list', '--tenant', tenant]),
      tow(['tenants', 'list']),
      tow(['keys', 'revoke', '--tenant', tenant, live.data.id]),
    ]);
    expect(listed.data.items.map((key: { id: string }) => key.id)).to.have.members(
      [live, agent, ended].map(({ data }) => data.id),
    );
    expect(JSON.stringify(listed)).not.to.include(live.data.key);
    expect(tenants.data.items.map((row: { id: string }) => row.id)).to.deep.equal([tenant, sandbox]);
    expect(again.data.revoked_at).to.equal(revoked.data.revoked_at);
    const audit = await db.read<{ action: string }>(tenant, {
      text: `select action from audit_entries where actor_type = 'system' and source = 'job' and outcome = 'ok' order by action`,
    });
    const actions = audit.map(({ action }) => action);
    expect(actions).to.deep.equal([...Array(3).fill('api_key.created'), 'api_key.revoked', 'tenant.created']);
  });

  it('says what is wrong with 2, 3, 4 and 5', async () => {
    const [tenant] = (await tow(['tenants', 'list'])).data.items;
    const key = ['keys', 'create', '--name', 'x', '--tenant'];
    const codes = await Promise.all([
      tow([...key, tenant.id, '--agent', '--scopes', 'propose_approvals', '--read-only']),
      tow([...key, tenant.id, '--permissions', 'everything']),
      tow(['tenants', 'create', '--name', 'X', '--time-zone', 'Mars/Olympus']),
      tow(['tenants', 'list'], { LOG_LEVEL: 'loud' }),
      tow(['tenants', 'list'], { DATABASE_URL: server.databaseUrl.replace(/:[^:@/]+@/, ':wrong@') }),
      tow([...key, newId()]),
      tow(['keys', 'revoke', '--tenant', tenant.id, newId()]),
      tow(['migrate'], { DATABASE_URL: NOWHERE }),
      tow(['doctor'], { DATABASE_URL: NOWHERE }),
    ]);
    expect(codes.map(({ code }) => code)).to.deep.equal([2, 2, 2, 3, 3, 4, 4, 5, 5]);
    expect(codes.map(({ ok }) => ok)).to.deep.equal(codes.map(() => false));
    expect(JSON.stringify(codes)).not.to.include('secret@');
    expect(statusOf(codes.at(-1) as JsonRun)).to.include({
      postgres: 'fail',
      role: 'skip',
      migrations: 'skip',
      node: 'ok',
    });
  });

  it('shows parked commands and gives one back to the clock', async () => {
    const [tenant] = (await tow(['tenants', 'list'])).data.items;
    const id = newId();
    const command = JSON.stringify({ id, type: 'invoice.create', tenantId: tenant.id, idempotency: null });
    await db.transaction([tenant.id], (tx) =>
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
    const [row] = await db.read(tenant.id, {
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

  it('finds the embedded database of a running process, and starts its own where none runs', async () => {
    const running = await tow(['tenants', 'list'], { DATABASE_URL: '' });
    expect(running.data.items[0]).to.include({ name: 'Acme Towing' });
    const dataDir = join(folder, 'own');
    const own = { DATABASE_URL: '', DATA_DIR: dataDir };
    expect((await tow(['migrate'], own)).code).to.equal(0);
    expect((await tow(['tenants', 'list'], own)).data.items).to.deep.equal([]);
    const left = await access(join(dataDir, 'owner.pid')).then(
      () => true,
      () => false,
    );
    expect(left).to.equal(false);
    const { cluster } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8')) as {
      cluster: string;
    };
    await rm(resolve(dataDir, cluster), { recursive: true, force: true });
  });

  it('releases with a demo, which demo:reset renews while nothing runs', async () => {
    const readDemo = async () =>
      JSON.parse(await readFile(join(folder, 'data', 'demo.json'), 'utf8')) as DemoFile;
    const released = await run('bin/release.ts', [], { DEMO: 'true', BASE_URL: 'https://tow.example' });
    expect(released.code, released.err).to.equal(0);
    expect(released.out.trim().split('\n')).to.have.length(1);
    const first = await readDemo();
    expect(first).to.include({ api_url: 'https://tow.example/v1', mcp_url: 'https://tow.example/mcp' });
    const key = await findKey(db, first.tenants[0]?.api_key ?? '');
    const demo = key?.tenantId as string;
    await db.transaction([demo], (tx) => tx.query({ text: "update customers set company_name = 'Changed'" }));

    const process = open('tow-web');
    await process.query({ text: 'select 1' });
    const [live, running] = await Promise.all([
      run('bin/demo-reset.ts', [], { NODE_ENV: 'production', SECRET_KEY: 'x'.repeat(40) }),
      run('bin/demo-reset.ts', []),
    ]);
    await process.close();
    expect([live.code, running.code]).to.deep.equal([1, 1]);
    expect([live.err, running.err].join()).to.include('production').and.to.include('tow-web');
    const embedded = await run('bin/demo-reset.ts', [], { DATABASE_URL: '' });
    expect([embedded.code, embedded.err])
      .to.deep.equal([1, embedded.err])
      .and.to.match(/stop it first/);

    const reset = await run('bin/demo-reset.ts', [], {});
    expect(reset.code, reset.err).to.equal(0);
    const second = await readDemo();
    expect(await findKey(db, first.tenants[0]?.api_key ?? '')).to.equal(undefined);
    expect(await findKey(db, second.tenants[0]?.api_key ?? '')).to.include({ tenantId: demo });
    const [changed] = await db.read<{ count: number }>(demo, {
      text: "select count(*) from customers where company_name = 'Changed'",
    });
    expect(changed?.count).to.equal(0);
    expect((await db.tenantIds()).length).to.equal(6);
  });
});
