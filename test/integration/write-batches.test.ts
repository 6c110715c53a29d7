import { expect } from 'chai';
import fc from 'fast-check';
import type { Command, CommandResult } from '../../shared/contracts/command.js';
import { newId } from '../../shared/platform/ids.js';
import { createLogger } from '../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../shared/platform/postgres.js';
import { createTenantPair, createTenantPairIds } from '../../shared/resources/tenants/create-tenant.js';
import { type BatchContext, runIsolated } from '../../workers/writes/isolate-commands.js';
import { runBatch } from '../../workers/writes/run-batch.js';
import { createBatchContext } from '../support/batch-context.js';
import { buildCommand } from '../support/commands.js';
import { listTables, withPgClient } from '../support/rows.js';
import { createDatabase } from '../support/stores.js';
import {
  type ExpectedResult,
  pickMembers,
  REFUSED_TEXT,
  toExpectedResult,
  WriteModel,
} from '../support/write-model.js';

const RUNS = Number(process.env.FC_RUNS ?? 40);
const SEED = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
const TAX_RATES_BPS = [825, 0, 1000];

const RESOURCES = ['invoice', 'customer', 'work_order'] as const;

interface CommandSpec {
  do: 'create' | 'patch';
  resource: (typeof RESOURCES)[number];
  tenant: number;
  number: number;
  amount: number;
  /** The customer that the body names. */
  customer: 'none' | 'own' | 'foreign' | 'unknown';
  /**
   * The record that a patch changes: a seed, another tenant's record, an unknown id, or a record
   * created earlier in this batch.
   */
  target: 'seed' | 'foreign' | 'unknown' | 'made';
  text: string;
  key: number | undefined;
}

/**
 * Repeats a command (its job ran twice), or sends a new command for the same request (the client
 * tried again).
 */
interface AgainSpec {
  do: 'repeat' | 'resend';
  of: number;
}

type Spec = CommandSpec | AgainSpec;

const commandSpec: fc.Arbitrary<CommandSpec> = fc.record({
  do: fc.constantFrom('create', 'create', 'patch'),
  resource: fc.constantFrom(...RESOURCES),
  tenant: fc.nat(2),
  number: fc.nat(5),
  amount: fc.integer({ min: 1, max: 99_999 }),
  customer: fc.constantFrom('none', 'own', 'own', 'foreign', 'unknown'),
  target: fc.constantFrom('seed', 'seed', 'made', 'made', 'foreign', 'unknown'),
  text: fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }) },
    fc.constant(REFUSED_TEXT),
  ),
  key: fc.option(fc.nat(2), { nil: undefined, freq: 2 }),
});
const againSpec: fc.Arbitrary<AgainSpec> = fc.record({
  do: fc.constantFrom('repeat', 'resend'),
  of: fc.nat(100),
});
const batches = fc.array(fc.oneof({ weight: 6, arbitrary: commandSpec }, againSpec), {
  minLength: 1,
  maxLength: 32,
});

/** Three tenants, each with one record of each kind, and their model. */
interface World {
  tenants: string[];
  seeds: Record<string, string>[];
  model: WriteModel;
  keys: string[];
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
    const property = fc.asyncProperty(batches, fc.boolean(), fc.boolean(), async (specs, first, again) => {
      const world = await createWorld();
      const commands = toCommands(specs, world);
      expectResults(
        await runIsolated(context, commands, { shouldSearchEarlier: first }),
        commands,
        world.model,
      );
      await expectSameRecords(world);
      await expectOneAuditEntryEach(world);

      // A job that runs again after its worker died behind the commit changes nothing more and
      // returns the same results.
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
    const withoutFailures = batches.map((specs) =>
      specs.map((spec) => ('text' in spec && spec.text === REFUSED_TEXT ? { ...spec, text: 'calm' } : spec)),
    );
    const property = fc.asyncProperty(withoutFailures, async (specs) => {
      const world = await createWorld();
      const commands = toCommands(specs, world);
      const commits: number[] = [];
      const counting = { ...context, beforeCommit: (all: Command[]) => commits.push(all.length) };
      expectResults(await runIsolated(counting, commands), commands, world.model);
      expect(commits).to.deep.equal(commands.length > 0 ? [commands.length] : []);
    });
    await fc.assert(property, { numRuns: RUNS / 4, seed: SEED });
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

  /** Compares each result of a run with the model's, in sequence. */
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

  /**
   * A digest of every table of this world. It stays the same only if no row was added, removed or
   * changed.
   */
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

function toCommands(specs: Spec[], world: World): Command[] {
  const commands: Command[] = [];
  for (const spec of specs) {
    if (!('of' in spec)) {
      commands.push(toCommand(spec, commands, world));
    } else {
      const earlier = commands[spec.of % Math.max(commands.length, 1)];
      if (earlier) commands.push(spec.do === 'repeat' ? earlier : resend(earlier));
    }
  }
  return commands;
}

/** The api process makes a new command of a client's second try of the same request. */
function resend(earlier: Command): Command {
  const id = newId();
  return {
    ...earlier,
    id,
    requestId: id,
    ...(earlier.type.endsWith('.create') ? { entityId: newId() } : {}),
  };
}

function toCommand(spec: CommandSpec, earlier: Command[], { tenants, seeds, keys }: World): Command {
  const { resource } = spec;
  const tenant = tenants[spec.tenant] as string;
  const other = (spec.tenant + 1) % tenants.length;
  const created = earlier.filter(
    (command) => command.type === `${resource}.create` && command.tenantId === tenant,
  );
  const targets = {
    seed: seeds[spec.tenant]?.[resource],
    foreign: seeds[other]?.[resource],
    unknown: newId(),
    made: created[spec.number % Math.max(created.length, 1)]?.entityId,
  };
  const entityId = spec.do === 'patch' ? (targets[spec.target] ?? newId()) : newId();
  const idempotency = spec.key === undefined ? {} : { idempotencyKey: keys[spec.key] as string };
  const customers = {
    none: undefined,
    own: seeds[spec.tenant]?.customer,
    foreign: seeds[other]?.customer,
    unknown: newId(),
  };
  const input = buildInput(spec, customers[spec.customer]);
  return buildCommand(`${resource}.${spec.do === 'create' ? 'create' : 'update'}`, tenant, input, {
    entityId,
    ...idempotency,
  });
}

function buildInput(spec: CommandSpec, customerId: string | undefined): Record<string, unknown> {
  const { resource, text, number, amount } = spec;
  const creates = spec.do === 'create';
  const customer = customerId ? { customer_id: customerId } : {};
  if (resource === 'customer')
    return { ...(creates ? { company_name: `Club ${number}` } : {}), address: text };
  if (resource === 'work_order')
    return { ...(creates ? { service_type: 'tow' } : {}), notes: text, ...customer };
  const lineItems = Array.from({ length: number % 3 }, (_, index) => ({
    name: 'Tow',
    category: 'tow',
    quantity: index + 1,
    unit_type: 'each',
    unit_price_cents: amount,
    total_cents: (index + 1) * amount,
    taxable: index === 0,
  }));
  const line_items = number < 3 ? {} : { line_items: lineItems };
  if (!creates) return { notes: text, po_number: `PO-${number}`, ...line_items };
  return {
    invoice_number: number % 2 ? `INV-${number}` : `inv-${number + 1}`,
    notes: text,
    ...customer,
    ...line_items,
  };
}
