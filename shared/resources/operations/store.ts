import type { Command, CommandResult } from '../../contracts/command.js';
import type { ErrorBody } from '../../platform/errors.js';
import type { Database, Statement, Transaction } from '../../platform/postgres.js';
import { type DoneRow, doneResult, HAS_CHANGES } from './done.js';
import { IN_TENANTS, UNSETTLED } from './pending.js';
import { type KeptRequest, reusedKeyError } from './reused-key.js';

/** How long an operation can be asked about, and an idempotent answer counts (decisions 5). */
const KEPT = "interval '24 hours'";
/** An answer's row outlives the operations that it settles: an operation that loses it would look as if it had never run. */
const ANSWER_STORED = "interval '25 hours'";

/** The client's view of a command that was answered 202. */
export interface OperationView {
  id: string;
  status: 'queued' | 'succeeded' | 'failed';
  createdAt: string;
  type: string;
  actorId: string | null;
  /** The record that the write makes or changes. */
  entityId: string;
  /** The key or secret that the command made, sealed; null when it made none. */
  sealedSecret: string | null;
  result: CommandResult | undefined;
}

interface OperationRow extends DoneRow {
  created_at: string;
  type: string;
  actor_id: string | null;
  command_entity_id: string;
  sealed_secret: string | null;
  done: boolean;
  parked: boolean;
  claim: Command['idempotency'];
  /** The answer kept under the operation's Idempotency-Key. */
  kept: (KeptRequest & { status: number; body: string; location: string | null }) | null;
}

// A retry with the same key may have done the work first: then its kept answer is this operation's result. Something else done under that key
// means that this operation never runs.
const READ = `
  select o.tenant_id, o.id, to_json(o.created_at)#>>'{}' as created_at, o.command ->> 'type' as type,
    o.command #>> '{actor,id}' as actor_id, o.command ->> 'entityId' as command_entity_id, o.command #>> '{input,material,sealed}' as sealed_secret, a.id is not null as done, p.parked_at is not null as parked,
    a.outcome, a.entity_type, a.entity_id, a.error, a.response_status, ${HAS_CHANGES}, o.command -> 'idempotency' as claim, to_jsonb(k) as kept
  from operations o
  left join audit_entries a on a.tenant_id = o.tenant_id and a.id = o.id
  left join command_attempts p on p.tenant_id = o.tenant_id and p.command_id = o.id
  left join idempotency_keys k on k.tenant_id = o.tenant_id and k.key = (o.command #>> '{idempotency,key}')::uuid
  where o.tenant_id = $1 and o.id = $2 and o.created_at > now() - ${KEPT}`;

/** What became of an operation; undefined when there is none of this tenant within 24 hours. */
export async function readOperation(
  db: Database,
  tenantId: string,
  id: string,
): Promise<OperationView | undefined> {
  const statement = { name: 'read-operation', text: READ, values: [tenantId, id] };
  const [row] = await db.read<OperationRow>(tenantId, statement);
  if (!row) return undefined;
  const { id: operationId, type, actor_id: actorId, sealed_secret: sealedSecret } = row;
  const { command_entity_id: entityId } = row;
  const view = {
    id: operationId,
    type,
    actorId,
    entityId,
    sealedSecret,
    createdAt: new Date(row.created_at).toISOString(),
  };
  const result = await resultOf(row, (next) => db.read(tenantId, next));
  if (!result) return { ...view, status: 'queued', result };
  return { ...view, status: result.ok ? 'succeeded' : 'failed', result };
}

async function resultOf(
  row: OperationRow,
  query: (statement: Statement) => Promise<{ body?: string }[]>,
): Promise<CommandResult | undefined> {
  if (row.done) return doneResult(row, query);
  if (row.kept) {
    const error = reusedKeyError(row.claim, row.kept);
    if (error) return { id: row.id, ok: false, error };
    const { status, body, location } = row.kept;
    return { id: row.id, ok: true, status, body, location, replayed: true };
  }
  return row.parked ? { id: row.id, ok: false, error: PARKED } : undefined;
}

const PARKED: ErrorBody = {
  code: 'internal_error',
  message:
    'This write was set aside after it failed repeatedly on our side. Nothing was stored; support can run it again.',
};

/** Finds the result of a command by its audit entry; undefined when it has not run. */
export async function findResult(db: Database, command: Command): Promise<CommandResult | undefined> {
  const [row] = await db.read<DoneRow>(command.tenantId, {
    name: 'find-result',
    text: `select a.tenant_id, a.id, a.outcome, a.entity_type, a.entity_id, a.error, a.response_status, ${HAS_CHANGES}
           from audit_entries a where a.tenant_id = $1 and a.id = $2`,
    values: [command.tenantId, command.id],
  });
  return row && doneResult(row, (statement) => db.read(command.tenantId, statement));
}

/** Stores a command as pending: from the commit on it will run, whatever happens to the queue. */
export async function storeOperation(db: Database, command: Command, leaseSeconds: number): Promise<void> {
  await db.transaction([command.tenantId], async (tx) =>
    tx.queryAtCommit({
      name: 'store-operation',
      text: `insert into operations (tenant_id, id, command, lease_until) values ($1, $2, $3, now() + make_interval(secs => $4))
             on conflict (tenant_id, id) do update set lease_until = excluded.lease_until`,
      values: [command.tenantId, command.id, JSON.stringify(command), leaseSeconds],
    }),
  );
}

/** As long as what they replayed (migrations/partitions.ts). */
const REPLAYS_STORED = "interval '30 days'";
/** Exports without a file: to be looked at and asked for again. */
const EXPORTS_STORED = "interval '90 days'";

/**
 * What is forgotten, by table: settled operations, answers, sessions that are over, faults of
 * sweeps that are over, suspicions of commands that came through or were lost with Redis, secrets
 * of endpoints that a rotation replaced, replays that are over, exports without a file, deleted
 * schedules, lanes of deleted endpoints once their workers are done with them.
 */
const EXPIRED = {
  operations: `o.created_at < now() - ${KEPT} and not ${UNSETTLED}`,
  idempotency_keys: `o.created_at < now() - ${ANSWER_STORED}`,
  sessions: `least(o.ended_at, o.idle_expires_at, o.expires_at) < now() - ${ANSWER_STORED}`,
  sweep_faults: `o.last_failed_at < now() - ${KEPT}`,
  command_attempts: `o.parked_at is null and o.last_attempt_at < now() - ${KEPT}`,
  webhook_secrets: `o.expires_at < now() - ${KEPT}`,
  exports: `o.status in ('failed', 'cancelled', 'expired') and o.object_key is null and o.updated_at < now() - ${EXPORTS_STORED}`,
  export_schedules: `o.deleted_at < now() - ${ANSWER_STORED}`,
  webhook_replays: `o.completed_at < now() - ${REPLAYS_STORED}`,
  webhook_lanes: `coalesce(o.lease_until < now(), true)
    and exists (select from webhook_endpoints e where e.tenant_id = o.tenant_id and e.id = o.endpoint_id and e.deleted_at < now() - ${KEPT})
    and not exists (select from webhook_deliveries d
                    where d.tenant_id = o.tenant_id and d.endpoint_id = o.endpoint_id and d.next_attempt_at is not null)`,
};

/** Forgets what nobody can ask about any more, a bounded number of rows of each table. Returns how many went. */
export async function purgeExpired(tx: Transaction, limit: number): Promise<number> {
  const statements = Object.entries(EXPIRED).map(([table, condition]) =>
    tx.query<{ count: number }>({
      text: `with gone as (
               delete from ${table} where ctid = any (array(
                 select ctid from ${table} o where ${IN_TENANTS('o')} and ${condition} limit ${limit}))
               returning 1)
             select count(*)::int as count from gone`,
    }),
  );
  const counts = await Promise.all(statements);
  return counts.reduce((sum, [row]) => sum + (row?.count ?? 0), 0);
}
