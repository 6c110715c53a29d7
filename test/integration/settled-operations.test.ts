import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { migrations } from '../../migrations/index.js';
import { migrate, migrateUpTo } from '../../migrations/migrate.js';
import { newId } from '../../shared/platform/ids.js';
import { createLogger } from '../../shared/platform/logger.js';
import { type Database, openDatabase, type Statement } from '../../shared/platform/postgres.js';
import { appRoleOf } from '../../shared/platform/postgres-session.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { countPending, leasePending } from '../../shared/resources/operations/pending.js';
import { purgeExpired } from '../../shared/resources/operations/store.js';
import { clockTasks, tasksWithout } from '../support/clock.js';
import { commandOf } from '../support/commands.js';
import { withClient } from '../support/rows.js';
import { TestStack } from '../support/stack.js';
import { createEmptyDatabase } from '../support/stores.js';

const BEFORE = migrations.filter(({ name }) => name < '20261123210000').at(-1)?.name as string;

const AUDIT_ENTRY = `insert into audit_entries
  (tenant_id, id, actor_type, action, entity_type, entity_id, outcome, source, response_status)
  values ($1, $2, 'system', 'customer.created', 'customer', $2, 'ok', 'rest', 201)`;

/** Of the version before, as it was. */
const OLD_STORE = `insert into operations (tenant_id, id, command, lease_until) values ($1, $2, $3, now() + make_interval(secs => $4))
  on conflict (tenant_id, id) do update set lease_until = excluded.lease_until`;
const OLD_REPLAY = `insert into operations (tenant_id, id, command, lease_until, created_at)
  select tenant_id, command_id, command, now(), now() from command_attempts where tenant_id = $1 and command_id = $2
  on conflict (tenant_id, id) do update set lease_until = excluded.lease_until, created_at = excluded.created_at`;

/** An account's operations, as a database holds them. */
class Operations {
  constructor(
    readonly db: Database,
    readonly tenantId: string,
  ) {}

  rows = <R>(text: string, values: unknown[] = []) =>
    this.db.transaction([this.tenantId], (tx) => tx.query<R>({ text, values }));

  /** One whose lease ran out a second ago. */
  async store(idempotencyKey: string = randomUUID()): Promise<string> {
    const command = commandOf('customer.create', this.tenantId, { company_name: 'C' }, { idempotencyKey });
    await this.rows(OLD_STORE, [this.tenantId, command.id, JSON.stringify(command), -1]);
    return command.id;
  }

  run = (id: string) => this.rows(AUDIT_ENTRY, [this.tenantId, id]);

  endLeases = () => this.rows("update operations set lease_until = now() - interval '1 second'");

  /** What a pass gives back to the queue. */
  async lease(limit = 100): Promise<string[]> {
    const lease = { leaseSeconds: 20, limit };
    const commands = await this.db.transaction([this.tenantId], (tx) => leasePending(tx, lease));
    return commands.map(({ id }) => id);
  }

  async settled(): Promise<string[]> {
    const rows = await this.rows<{ id: string }>('select id from operations where settled_at is not null');
    return rows.map(({ id }) => id);
  }
}

describe('an operation that is settled', () => {
  let stack: TestStack;
  let of: Operations;

  before(async () => {
    stack = await TestStack.start({ clock: false, worker: false });
  });
  beforeEach(async () => {
    of = new Operations(stack.runtime.db, (await stack.createTenant()).id);
  });
  after(() => stack.stop());

  it('is marked by the pass that finds it so; what is still to run is leased', async () => {
    const key = randomUUID();
    const [ran, repeated, pending] = [await of.store(), await of.store(key), await of.store()];
    await of.run(ran);
    await of.rows(
      `insert into idempotency_keys (tenant_id, key, command_id, method, path, body_hash, status, body)
       values ($1, $2, gen_random_uuid(), 'POST', '/customers', 'hash', 201, '{}')`,
      [of.tenantId, key],
    );
    expect(await of.lease()).to.deep.equal([pending]);
    expect(await of.settled()).to.have.members([ran, repeated]);
    // The kept answer goes; what it settled stays settled.
    await of.rows('delete from idempotency_keys');
    await of.endLeases();
    expect(await of.lease()).to.deep.equal([pending]);
    await of.rows("update operations set created_at = now() - interval '25 hours'");
    await of.db.transaction([of.tenantId], (tx) => purgeExpired(tx, 100));
    expect(await of.rows('select id from operations')).to.deep.equal([{ id: pending }]);
  });

  it('is marked although more are pending than one pass gives back', async () => {
    for (let n = 0; n < 5; n += 1) await of.store();
    const ran = await of.store();
    await of.run(ran);
    expect(await of.lease(2)).to.have.length(2);
    expect(await of.settled()).to.deep.equal([ran]);
  });

  it('is not what was set aside: that runs after a replay, also by the version before', async () => {
    const id = await of.store();
    await of.rows(
      `insert into command_attempts (tenant_id, command_id, command, parked_at) select tenant_id, id, command, now() from operations`,
    );
    expect(await of.lease()).to.deep.equal([]);
    expect(await of.settled()).to.deep.equal([]);
    await of.rows(OLD_REPLAY, [of.tenantId, id]);
    await of.rows('update command_attempts set attempts = 0, parked_at = null');
    expect(await of.lease()).to.deep.equal([id]);
  });

  it('and one that is pending are each taken by one of two clocks at once', async () => {
    const ids = [await of.store(), await of.store()];
    const lease = { leaseSeconds: 20, limit: 100 };
    const taken = await of.db.transaction([of.tenantId], async (tx) => {
      const first = await leasePending(tx, lease);
      return [...first.map(({ id }) => id), ...(await of.lease())];
    });
    expect(taken).to.have.members(ids);
  });

  it('counts no more; a count that fails undoes no lease and blames no account', async () => {
    const id = await of.store();
    const transaction: Database['transaction'] = (tenantIds, work) =>
      of.db.transaction(tenantIds, (tx) =>
        work({
          ...tx,
          query: (statement: Statement) =>
            tx.query(statement.name === 'count-operations' ? { text: 'select 1 / 0' } : statement),
        }),
      );
    const db = { transaction, tenantIds: () => of.db.tenantIds() } as Database;
    const jobs = openWritesQueue(stack.runtime);
    const before = await jobs.getWaitingCount();
    await clockTasks({ ...stack.runtime, db })('resubmit-operations');
    expect(await jobs.getWaitingCount()).to.equal(before + 1);
    const leased = await of.rows('select lease_until > now() as is_leased from operations where id = $1', [
      id,
    ]);
    expect(leased).to.deep.equal([{ is_leased: true }]);
    expect(await tasksWithout(stack, of.tenantId)).to.deep.equal([]);

    const count = () => of.db.transaction([of.tenantId], countPending);
    expect(await count()).to.equal(1);
    await of.run(id);
    expect(await count()).to.equal(0);
  });
});

describe('an operation of the version before', () => {
  it('is marked or run, whether it was stored before the migration or by a process that goes on after it', async () => {
    const databaseUrl = await createEmptyDatabase();
    const appRole = appRoleOf(databaseUrl);
    await migrateUpTo(databaseUrl, BEFORE);
    const tenantId = newId();
    const ids = [newId(), newId(), newId()] as [string, string, string];
    await withClient(databaseUrl, async (client) => {
      await client.query("select set_config('app.tenant_ids', $1, false)", [tenantId]);
      await client.query(`insert into tenants (tenant_id, name, environment) values ($1, 'T', 'live')`, [
        tenantId,
      ]);
      for (const id of ids.slice(0, 2)) await client.query(OLD_STORE, [tenantId, id, { id }, -1]);
      await client.query(AUDIT_ENTRY, [tenantId, ids[0]]);
    });
    await migrate({ databaseUrl, appRole, withQueue: true });
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    const db = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'test', logger });
    const of = new Operations(db, tenantId);
    await of.rows(OLD_STORE, [tenantId, ids[2], { id: ids[2] }, -1]);
    expect(await of.lease()).to.have.members([ids[1], ids[2]]);
    expect(await of.settled()).to.deep.equal([ids[0]]);
    await db.close();
  });
});
