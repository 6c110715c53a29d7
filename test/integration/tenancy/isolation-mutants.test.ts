import { expect } from 'chai';
import { migrate } from '../../../migrations/migrate.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { openDatabase } from '../../../shared/platform/postgres/database.js';
import { assertLeastPrivilege, findPrivilegeProblems } from '../../../shared/platform/postgres/privileges.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { buildBundledCommand } from '../../support/bundles/bundle-programs.js';
import { NO_RATE_LIMITS, useProcesses } from '../../support/load/processes.js';
import { createEmptyDatabase, createRedisUrl, getStores } from '../../support/stores.js';
import { withPgClient } from '../../support/writes/rows.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });

interface Mutant {
  damage: string;
  problem: RegExp;
}

const MUTANTS: Record<string, Mutant> = {
  'a policy is dropped': {
    damage: 'drop policy tenant_isolation on customers',
    problem: /^customers has no tenant_isolation policy$/,
  },
  'a policy is replaced by one that allows every tenant': {
    damage:
      'drop policy tenant_isolation on customers; create policy tenant_isolation on customers using (true)',
    problem: /^customers has no tenant_isolation policy$/,
  },
  'a policy checks reads only': {
    damage: 'alter policy tenant_isolation on work_orders with check (true)',
    problem: /^work_orders has no tenant_isolation policy$/,
  },
  'a policy allows every tenant besides its own': {
    damage: `alter policy tenant_isolation on invoices using (current_setting('app.tenant_ids', true) is not null or true)`,
    problem: /^invoices has no tenant_isolation policy$/,
  },
  'a second policy opens a table': {
    damage: 'create policy support on invoices using (true)',
    problem: /^invoices has the policy support, which lets rows past tenant_isolation$/,
  },
  'a policy that only reads is widened to writes': {
    damage: 'drop policy tenant_directory on tenants; create policy tenant_directory on tenants using (true)',
    problem: /^tenants has the policy tenant_directory, which/,
  },
  'FORCE is dropped': {
    damage: 'alter table invoices no force row level security',
    problem: /row-level security is not forced on invoices$/,
  },
  'row-level security is disabled': {
    damage: 'alter table users disable row level security',
    problem: /row-level security is not forced on users$/,
  },
  'a new table has no row-level security': {
    damage: 'create table notes (tenant_id uuid, id uuid, primary key (tenant_id, id))',
    problem: /row-level security is not forced on notes$/,
  },
  'the role owns a table': {
    damage: 'alter table customers owner to %role%',
    problem: /^the role \w+ owns the table customers$/,
  },
  'the role may change the audit log': {
    damage: 'grant update on audit_entries to %role%',
    problem: /^audit_entries can be changed/,
  },
  'the role may change one column of the audit log': {
    damage: 'grant update (outcome) on audit_entries to %role%',
    problem: /^audit_entries can be changed/,
  },
  'the role may delete events': {
    damage: 'grant delete on events to %role%',
    problem: /^events can be changed/,
  },
  'every role may change the audit log': {
    damage: 'grant update on audit_entries to public',
    problem: /^audit_entries can be changed/,
  },
  'the role may enter the schema of the partitions, which bypasses the policies': {
    damage: 'grant usage on schema partitions to %role%',
    problem: /^the role \w+ may enter the schema partitions/,
  },
  'the role bypasses row-level security': {
    damage: 'alter role %role% bypassrls',
    problem: /^the role \w+ bypasses row-level security$/,
  },
  'the role is a superuser': {
    damage: 'alter role %role% superuser',
    problem: /^the role \w+ is a superuser$/,
  },
};

let template: Promise<string> | undefined;
let clones = 0;

const withDatabaseName = (url: string, database: string) =>
  Object.assign(new URL(url), { pathname: `/${database}` }).href;

/** Creates a database with separate roles, so that damage to a role affects no other test. */
async function makeTemplate(): Promise<string> {
  const { superuserUrl } = await getStores();
  const url = new URL(await createEmptyDatabase());
  const owner = `mutant_${process.pid}`;
  await withPgClient(superuserUrl, async (superuser) => {
    await superuser.query(`create role ${owner} login createrole password 'mutant'`);
    await superuser.query(`alter database ${url.pathname.slice(1)} owner to ${owner}`);
  });
  Object.assign(url, { username: owner, password: 'mutant' });
  await migrate({ databaseUrl: url.href, appRole: getAppRole(url.href), withQueue: true });
  return url.href;
}

/** Copies the template database. The returned function `damage` runs SQL in the copy. */
async function createMutantDatabase(): Promise<{
  databaseUrl: string;
  damage: (text: string) => Promise<void>;
}> {
  template ??= makeTemplate();
  const templateUrl = await template;
  const { superuserUrl } = await getStores();
  const role = getAppRole(templateUrl);
  clones += 1;
  const name = `mutant_${process.pid}_${clones}`;
  await withPgClient(superuserUrl, async (superuser) => {
    await superuser.query(`alter role ${role} nosuperuser nobypassrls`);
    await superuser.query(
      `create database ${name} template ${new URL(templateUrl).pathname.slice(1)} strategy file_copy owner ${new URL(templateUrl).username}`,
    );
  });
  const damage = (text: string) =>
    withPgClient(withDatabaseName(superuserUrl, name), async (superuser) => {
      await superuser.query(text.replaceAll('%role%', role));
    });
  return { databaseUrl: withDatabaseName(templateUrl, name), damage };
}

async function findProblems(databaseUrl: string): Promise<string[]> {
  const db = openDatabase({ databaseUrl, poolSize: 1, applicationName: 'test', logger });
  return findPrivilegeProblems(db).finally(() => db.close());
}

describe('privilege check of the database', () => {
  it('the privilege check finds no problem in a migrated database', async () => {
    const { databaseUrl } = await createMutantDatabase();
    expect(await findProblems(databaseUrl)).to.deep.equal([]);
  });

  for (const [name, { damage, problem }] of Object.entries(MUTANTS)) {
    it(`the privilege check reports that ${name}, and a process refuses to start`, async () => {
      const database = await createMutantDatabase();
      await database.damage(damage);
      const problems = await findProblems(database.databaseUrl);
      expect(
        problems.filter((one) => problem.test(one)),
        problems.join('; '),
      ).to.have.length(1);
      const db = openDatabase({
        databaseUrl: database.databaseUrl,
        poolSize: 1,
        applicationName: 'test',
        logger,
      });
      const refusal = await assertLeastPrivilege(db)
        .then(() => undefined, String)
        .finally(() => db.close());
      expect(refusal).to.include('refusing to start').and.to.include(problems[0]);
    });
  }

  it('the privilege check reports a database without migrations', async () => {
    expect(await findProblems(await createEmptyDatabase())).to.deep.equal([
      'there are no tables: run the migrations first',
    ]);
  });
});

describe('start of a process on a database that does not isolate tenants', () => {
  const processes = useProcesses();

  for (const [program, ...args] of [['api/server.ts'], ['workers/main.ts', 'writes', 'clock']] as const) {
    it(`${[program, ...args].join(' ')} exits with 1, logs every isolation problem and serves nothing`, async () => {
      const { databaseUrl, damage } = await createMutantDatabase();
      for (const name of [
        'a policy is dropped',
        'FORCE is dropped',
        'the role owns a table',
        'the role may change the audit log',
      ]) {
        await damage(MUTANTS[name]?.damage as string);
      }
      const { code, output } = await processes.run({
        command: buildBundledCommand(program, ...args),
        env: {
          ...NO_RATE_LIMITS,
          DATABASE_URL: databaseUrl,
          // The process checks isolation before it connects to Redis, so the test needs no Redis.
          REDIS_URL: (await createRedisUrl()) ?? 'redis://127.0.0.1:1',
          SECRET_KEY: 'a secret key that is long enough for anybody',
          PORT: '0',
        },
      });
      expect(code, output).to.equal(1);
      expect(output).to.include('refusing to start');
      for (const problem of [
        'customers has no tenant_isolation policy',
        'not forced on invoices',
        'owns the table customers',
        'audit_entries can be changed',
      ]) {
        expect(output).to.include(problem);
      }
      expect(output).to.not.match(/"msg":"(listening|working)"/);
    });
  }
});
