import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { migrations } from '../../../migrations/index.js';
import { migrate, migrateUpTo } from '../../../migrations/migrate.js';
import { leasePending, measurePending } from '../../../shared/operations/pending.js';
import { purgeExpired } from '../../../shared/operations/store.js';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase, type SqlQuery } from '../../../shared/platform/postgres/database.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { createClockTasks, findTasksWithout } from '../../support/clock.js';
import { createEmptyDatabase } from '../../support/stores.js';
import { useStack } from '../../support/use-stack.js';
import { buildCommand } from '../../support/writes/commands.js';
import { withPgClient } from '../../support/writes/rows.js';

const PREVIOUS_MIGRATION = migrations.filter(({ name }) => name < '20261123210000').at(-1)?.name as string;

const INSERT_AUDIT_ENTRY = `insert into audit_entries
  (tenant_id, id, actor_type, action, entity_type, entity_id, outcome, source, response_status)
  values ($1, $2, 'system', 'customer.created', 'customer', $2, 'ok', 'rest', 201)`;

/**
 * The exact queries of releases before the migration mark_settled_operations. Processes of these
 * releases may still run after the migration.
 */
const OLD_STORE_QUERY = `insert into operations (tenant_id, id, command, lease_until) values ($1, $2, $3, now() + make_interval(secs => $4))
  on conflict (tenant_id, id) do update set lease_until = excluded.lease_until`;
const OLD_REPLAY_QUERY = `insert into operations (tenant_id, id, command, lease_until, created_at)
  select tenant_id, command_id, command, now(), now() from command_attempts where tenant_id = $1 and command_id = $2
  on conflict (tenant_id, id) do update set lease_until = excluded.lease_until, created_at = excluded.created_at`;

class Operations {
  constructor(
    readonly db: Database,
    readonly tenantId: string,
  ) {}

  query = <R>(text: string, values: unknown[] = []) =>
    this.db.transaction([this.tenantId], (tx) => tx.query<R>({ text, values }));

  /** Stores an operation whose lease ended a second ago, and returns its id. */
  async store(idempotencyKey: string = randomUUID()): Promise<string> {
    const command = buildCommand('customer.create', this.tenantId, { company_name: 'C' }, { idempotencyKey });
    await this.query(OLD_STORE_QUERY, [this.tenantId, command.id, JSON.stringify(command), -1]);
    return command.id;
  }

  recordRun = (id: string) => this.query(INSERT_AUDIT_ENTRY, [this.tenantId, id]);

  endLeases = () => this.query("update operations set lease_until = now() - interval '1 second'");

  /** Leases operations as a pass of the clock does, and returns their ids. */
  async lease(limit = 100): Promise<string[]> {
    const lease = { leaseSeconds: 20, limit };
    const commands = await this.db.transaction([this.tenantId], (tx) => leasePending(tx, lease));
    return commands.map(({ id }) => id);
  }

  async listMarked(): Promise<string[]> {
    const rows = await this.query<{ id: string }>('select id from operations where settled_at is not null');
    return rows.map(({ id }) => id);
  }
}

describe('completed operations', () => {
  const stack = useStack({ worker: false });
  let operations: Operations;

  beforeEach(async () => {
    operations = new Operations(stack.runtime.db, (await stack.createTenant()).id);
  });

  it('a pass of the clock marks completed operations and leases pending ones', async () => {
    const key = randomUUID();
    const [completed, repeated, pending] = [
      await operations.store(),
      await operations.store(key),
      await operations.store(),
    ];
    await operations.recordRun(completed);
    await operations.query(
      `insert into idempotency_keys (tenant_id, key, command_id, method, path, body_hash, status, body)
       values ($1, $2, gen_random_uuid(), 'POST', '/customers', 'hash', 201, '{}')`,
      [operations.tenantId, key],
    );
    expect(await operations.lease()).to.deep.equal([pending]);
    expect(await operations.listMarked()).to.have.members([completed, repeated]);
    // The operation stays marked as completed after its idempotency record is deleted.
    await operations.query('delete from idempotency_keys');
    await operations.endLeases();
    expect(await operations.lease()).to.deep.equal([pending]);
    await operations.query("update operations set created_at = now() - interval '25 hours'");
    await operations.db.transaction([operations.tenantId], (tx) => purgeExpired(tx, 100));
    expect(await operations.query('select id from operations')).to.deep.equal([{ id: pending }]);
  });

  it('a pass marks a completed operation although more are pending than it leases', async () => {
    for (let n = 0; n < 5; n += 1) await operations.store();
    const completed = await operations.store();
    await operations.recordRun(completed);
    expect(await operations.lease(2)).to.have.length(2);
    expect(await operations.listMarked()).to.deep.equal([completed]);
  });

  it('a parked operation is not marked and runs after a replay, also after one by the previous version', async () => {
    const id = await operations.store();
    await operations.query(
      `insert into command_attempts (tenant_id, command_id, command, parked_at) select tenant_id, id, command, now() from operations`,
    );
    expect(await operations.lease()).to.deep.equal([]);
    expect(await operations.listMarked()).to.deep.equal([]);
    await operations.query(OLD_REPLAY_QUERY, [operations.tenantId, id]);
    await operations.query('update command_attempts set attempts = 0, parked_at = null');
    expect(await operations.lease()).to.deep.equal([id]);
  });

  it('two concurrent clocks never lease the same operation', async () => {
    const ids = [await operations.store(), await operations.store()];
    const lease = { leaseSeconds: 20, limit: 100 };
    const leasedIds = await operations.db.transaction([operations.tenantId], async (tx) => {
      const first = await leasePending(tx, lease);
      return [...first.map(({ id }) => id), ...(await operations.lease())];
    });
    expect(leasedIds).to.have.members(ids);
  });

  it('a completed operation is not counted, and a failed count undoes no lease and records no failing account', async () => {
    const id = await operations.store();
    const transaction: Database['transaction'] = (tenantIds, work) =>
      operations.db.transaction(tenantIds, (tx) =>
        work({
          ...tx,
          query: (query: SqlQuery) =>
            tx.query(query.name === 'measure-operations' ? { text: 'select 1 / 0' } : query),
        }),
      );
    const db = { transaction, listTenantIds: () => operations.db.listTenantIds() } as Database;
    await createClockTasks({ ...stack.runtime, db })('resubmit-operations');
    const waiting = await openWritesQueue(stack.runtime).getWaiting();
    expect(waiting.filter(({ data }) => JSON.stringify(data).includes(id))).to.have.length(1);
    const leased = await operations.query(
      'select lease_until > now() as is_leased from operations where id = $1',
      [id],
    );
    expect(leased).to.deep.equal([{ is_leased: true }]);
    expect(await findTasksWithout(stack, operations.tenantId)).to.deep.equal([]);

    const measure = () => operations.db.transaction([operations.tenantId], measurePending);
    const pending = await measure();
    expect(pending.count).to.equal(1);
    expect(pending.oldest_seconds).to.be.above(0);
    await operations.recordRun(id);
    expect(await measure()).to.deep.equal({ count: 0, oldest_seconds: 0 });
  });
});

describe('operations of the previous version', () => {
  it('operations stored before the migration, or after it by an old process, are marked or leased', async () => {
    const databaseUrl = await createEmptyDatabase();
    const appRole = getAppRole(databaseUrl);
    await migrateUpTo(databaseUrl, PREVIOUS_MIGRATION);
    const tenantId = newId();
    const ids = [newId(), newId(), newId()] as [string, string, string];
    await withPgClient(databaseUrl, async (client) => {
      await client.query("select set_config('app.tenant_ids', $1, false)", [tenantId]);
      await client.query(`insert into tenants (tenant_id, name, environment) values ($1, 'T', 'live')`, [
        tenantId,
      ]);
      for (const id of ids.slice(0, 2)) await client.query(OLD_STORE_QUERY, [tenantId, id, { id }, -1]);
      await client.query(INSERT_AUDIT_ENTRY, [tenantId, ids[0]]);
    });
    await migrate({ databaseUrl, appRole, withQueue: true });
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    const db = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'test', logger });
    const operations = new Operations(db, tenantId);
    await operations.query(OLD_STORE_QUERY, [tenantId, ids[2], { id: ids[2] }, -1]);
    expect(await operations.lease()).to.have.members([ids[1], ids[2]]);
    expect(await operations.listMarked()).to.deep.equal([ids[0]]);
    await db.close();
  });
});
