import { expect } from 'chai';
import fc from 'fast-check';
import type { Command, CommandResult } from '../../../shared/contracts/command.js';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { createTenantPair, createTenantPairIds } from '../../../shared/resources/tenants/create-tenant.js';
import { type BatchContext, runIsolated } from '../../../workers/writes/isolate-commands.js';
import { runBatch } from '../../../workers/writes/run-batch.js';
import { countRuns } from '../../support/count-runs.js';
import { createDatabase } from '../../support/stores.js';
import { createBatchContext } from '../../support/writes/batch-context.js';
import { buildCommand } from '../../support/writes/commands.js';
import { type BatchTargets, batchSpecs, buildBatch } from '../../support/writes/random-write-batches.js';
import { listTables, withPgClient } from '../../support/writes/rows.js';
import {
  type ExpectedResult,
  pickMembers,
  REFUSED_TEXT,
  toExpectedResult,
  WriteModel,
} from '../../support/writes/write-model.js';

const RUNS = Number(process.env.FC_RUNS ?? countRuns(40));
const SEED = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
const TAX_RATES_BPS = [825, 0, 1000];

interface World extends BatchTargets {
  model: WriteModel;
}

describe(`batches of write commands (seed ${SEED}; FC_SEED repeats it)`, () => {
  let databaseUrl: string;
  let db: Database;
  let context: BatchContext;

  before(async () => {
    databaseUrl = await createDatabase();
    await withPgClient(databaseUrl, async (client) => {
      await client.query(
        `alter table invoices add constraint boom check (notes is distinct from '${REFUSED_TEXT}')`,
      );
      await client.query(
        `alter table work_orders add constraint boom check (notes is distinct from '${REFUSED_TEXT}')`,
      );
      await client.query(
        `alter table customers add constraint boom check (address is distinct from '${REFUSED_TEXT}')`,
      );
    });
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    db = openDatabase({ databaseUrl, poolSize: 4, applicationName: 'test', logger });
    context = createBatchContext({ db, logger });
  });
  after(() => db.close());

  async function createWorld(): Promise<World> {
    const tenants: string[] = [];
    for (const taxRateBps of TAX_RATES_BPS) {
      const pair = createTenantPairIds();
      await db.transaction([pair.live, pair.sandbox], (tx) =>
        createTenantPair(tx, pair, { name: 'T', taxRateBps }),
      );
      tenants.push(pair.live);
    }
    const model = new WriteModel(
      new Map(tenants.map((tenant, index) => [tenant, TAX_RATES_BPS[index] ?? 0])),
    );
    const world: World = { tenants, seeds: [], model, keys: [newId(), newId(), newId()] };
    const commands = tenants.flatMap((tenant) => [
      buildCommand('customer.create', tenant, { company_name: 'Seed' }),
      buildCommand('invoice.create', tenant, { invoice_number: 'SEED' }),
      buildCommand('work_order.create', tenant, { service_type: 'tow' }),
    ]);
    expectResults(await runBatch(context, commands), commands, model);
    for (const tenant of tenants) {
      const own = commands.filter((command) => command.tenantId === tenant);
      world.seeds.push(
        Object.fromEntries(own.map((command) => [command.type.split('.')[0] as string, command.entityId])),
      );
    }
    return world;
  }

  it('each command of a batch gets the same result as it would alone', async () => {
    const property = fc.asyncProperty(batchSpecs, fc.boolean(), fc.boolean(), async (specs, first, again) => {
      const world = await createWorld();
      const commands = buildBatch(specs, world);
      expectResults(
        await runIsolated(context, commands, { shouldSearchEarlier: first }),
        commands,
        world.model,
      );
      await expectSameRecords(world);
      await expectOneAuditEntryEach(world);

      // Run the batch again, as if its worker had died after the commit. The second run must change
      // nothing, and must return the results of the first.
      const before = await fingerprint(world);
      expectResults(
        await runIsolated(context, commands, { shouldSearchEarlier: again }),
        commands,
        world.model,
      );
      expect(await fingerprint(world), 'the second run changed something').to.deep.equal(before);
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
  });

  it('a batch without unexpected failures commits in one transaction', async () => {
    const withoutFailures = batchSpecs.map((specs) =>
      specs.map((spec) => ('text' in spec && spec.text === REFUSED_TEXT ? { ...spec, text: 'calm' } : spec)),
    );
    const property = fc.asyncProperty(withoutFailures, async (specs) => {
      const world = await createWorld();
      const commands = buildBatch(specs, world);
      const commits: number[] = [];
      const counting = { ...context, beforeCommit: (all: Command[]) => commits.push(all.length) };
      expectResults(await runIsolated(counting, commands), commands, world.model);
      expect(commits).to.deep.equal(commands.length > 0 ? [commands.length] : []);
    });
    await fc.assert(property, { numRuns: Math.ceil(RUNS / 4), seed: SEED });
  });

  it('in a large batch only the failing commands fail, at any position, and all others commit', async () => {
    const world = await createWorld();
    const [tenant] = world.tenants as [string];
    const failingIndexes = new Set([0, 77, 78, 255]);
    const commands = Array.from({ length: 256 }, (_, index) =>
      buildCommand('work_order.create', tenant, {
        service_type: 'tow',
        notes: failingIndexes.has(index) ? REFUSED_TEXT : `job ${index}`,
      }),
    );
    const results = new Map((await runIsolated(context, commands)).map((result) => [result.id, result]));
    for (const [index, command] of commands.entries()) {
      expect(results.get(command.id)?.ok, `command ${index}`).to.equal(!failingIndexes.has(index));
    }
    const failures = [...results.values()].filter((result) => !result.ok);
    expect(failures.map((result) => result.error.code)).to.deep.equal(
      Array(failingIndexes.size).fill('internal_error'),
    );
    for (const { error } of failures)
      expect(JSON.stringify(error)).to.not.match(/boom|constraint|violates|select|insert/i);
    const [stored] = await db.read<{ count: number }>(tenant, {
      text: 'select count(*)::int as count from work_orders',
    });
    expect(stored?.count).to.equal(1 + 256 - failingIndexes.size);
  });

  function expectResults(results: CommandResult[], commands: Command[], model: WriteModel): void {
    const resultsById = new Map<string, CommandResult[]>();
    for (const result of results) resultsById.set(result.id, [...(resultsById.get(result.id) ?? []), result]);
    expect(results, 'one result per command').to.have.length(commands.length);
    for (const command of commands) {
      const expected: ExpectedResult = model.apply(command);
      const result = resultsById.get(command.id)?.shift() as CommandResult;
      expect(
        toExpectedResult(result, expected),
        `${command.type} ${JSON.stringify(command.input)}`,
      ).to.deep.equal(expected);
    }
  }

  async function expectSameRecords({ tenants, model }: World): Promise<void> {
    const tables = { invoice: 'invoices', customer: 'customers', work_order: 'work_orders' };
    for (const tenant of tenants) {
      for (const [resource, table] of Object.entries(tables)) {
        const extra =
          resource === 'invoice'
            ? ', (select count(*)::int from invoice_line_items l where l.invoice_id = t.id) as line_count'
            : '';
        const rows = await db.read<Record<string, unknown>>(tenant, {
          text: `select t.*${extra} from ${table} t`,
        });
        const stored = new Map(rows.map((row) => [`${tenant} ${resource} ${row.id}`, row]));
        const expectedRecords = [...model.records].filter(([key]) =>
          key.startsWith(`${tenant} ${resource} `),
        );
        expect([...stored.keys()], table).to.have.members(expectedRecords.map(([key]) => key));
        for (const [key, record] of expectedRecords) {
          expect(
            pickMembers(
              JSON.stringify({ ...stored.get(key), line_items: { length: stored.get(key)?.line_count } }),
              Object.keys(record),
            ),
            key,
          ).to.deep.equal(record);
        }
      }
      const numbers = await db.read<{ job_number: string }>(tenant, {
        text: 'select job_number from work_orders',
      });
      const booked = model.booked.filter((one) => one === tenant).length;
      const expected = Array.from(
        { length: booked },
        (_, index) => `WO-${String(index + 1).padStart(6, '0')}`,
      );
      expect(
        numbers.map((row) => row.job_number),
        'job numbers without gaps',
      ).to.have.members(expected);
    }
  }

  async function expectOneAuditEntryEach({ tenants, model }: World): Promise<void> {
    for (const tenant of tenants) {
      const entries = await db.read<{ id: string; outcome: string }>(tenant, {
        text: "select id, outcome from audit_entries where action <> 'tenant.created'",
      });
      const ran = [...model.ran]
        .filter(([, { tenantId }]) => tenantId === tenant)
        .map(([id, { outcome }]) => ({ id, outcome }));
      expect(entries, 'audit entries').to.have.deep.members(ran);
      const [events] = await db.read<{ count: number }>(tenant, {
        text: 'select count(*)::int as count from events',
      });
      const created = [...model.records.keys()].filter(
        (key) => key.startsWith(tenant) && !key.includes(' customer '),
      ).length;
      expect(events?.count, 'one event per created invoice and work order').to.equal(created);
    }
  }

  /** Returns a digest of each table. Any added, removed or changed row changes a digest. */
  async function fingerprint({ tenants }: World): Promise<Record<string, string>> {
    return withPgClient(databaseUrl, async (client) => {
      await client.query('select set_config($1, $2, false)', ['app.tenant_ids', tenants.join(',')]);
      const digests: Record<string, string> = {};
      for (const table of await listTables(client)) {
        const { rows } = await client.query(
          `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as digest from ${table} t`,
        );
        digests[table] = rows[0].digest;
      }
      return digests;
    });
  }
});
