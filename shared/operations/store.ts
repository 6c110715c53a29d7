import type { Command, CommandResult } from '../contracts/command.js';
import { EXPIRED_ENDPOINT_QUEUES } from '../deliveries/expired-endpoint-queues.js';
import type { ErrorBody } from '../platform/errors.js';
import type { Database, SqlQuery, Transaction } from '../platform/postgres/database.js';
import { deleteExpiredRows, type ExpiryRule, RETENTION } from '../records/expiry.js';
import { recordsetSql } from '../records/record-refs.js';
import type { RowSweep } from '../records/sweeps/schedule.js';
import { EXPIRED_SWEEP_FAILURES } from '../records/sweeps/sweep-failures.js';
import { EXPIRED_INVITATIONS } from '../resources/access-mails/invitation-rows.js';
import { EXPIRED_RESETS } from '../resources/access-mails/reset-rows.js';
import { EXPIRED_ACCESS_MAILS } from '../resources/access-mails/store.js';
import { EXPIRED_SCHEDULES } from '../resources/export-schedules/schedule-rows.js';
import { EXPIRED_EXPORTS } from '../resources/exports/limits.js';
import { EXPIRED_FACTORS } from '../resources/factors/factor-rows.js';
import { EXPIRED_SESSIONS } from '../resources/sessions/session-rows.js';
import { EXPIRED_SECRETS } from '../resources/webhook-endpoints/secret-rows.js';
import { EXPIRED_REPLAYS } from '../resources/webhook-replays/limits.js';
import {
  EXPIRED_CALLS,
  EXPIRED_INBOUND_NOTICES,
  EXPIRED_OAUTH_ATTEMPTS,
  EXPIRED_OUTBOUND_OPERATIONS,
  EXPIRED_SYNC_RUNS,
} from '../sync/expiry.js';
import { type AuditedResultRow, HAS_CHANGES_COLUMN, rebuildResult } from './audited-result.js';
import { EXPIRED_COMMAND_ATTEMPTS } from './command-attempts.js';
import { EXPIRED_IDEMPOTENCY_RECORDS } from './idempotency-records.js';
import { EXPIRED_LOST_WRITES } from './lost-writes/lost-write-rows.js';
import { IS_PENDING } from './pending.js';
import { findReusedKeyError, type StoredRequest } from './reused-key.js';

/** A command whose response was 202, as clients see the command. */
export interface OperationView {
  id: string;
  status: 'queued' | 'succeeded' | 'failed';
  createdAt: string;
  type: string;
  actorId: string | null;
  entityId: string;
  /** The key or secret that the command created, encrypted; null if it created none. */
  sealedSecret: string | null;
  result: CommandResult | undefined;
}

interface OperationRow extends AuditedResultRow {
  created_at: string;
  type: string;
  actor_id: string | null;
  command_entity_id: string;
  sealed_secret: string | null;
  done: boolean;
  parked: boolean;
  claim: Command['idempotency'];
  /** The response stored under the operation's Idempotency-Key. */
  kept: (StoredRequest & { status: number; body: string; location: string | null }) | null;
}

// A retry of the request, with the same Idempotency-Key, may have run first. The response stored
// for the retry is then the operation's result. If a different request used the key first, the
// operation fails without running.
const READ_OPERATION_QUERY = `
  select o.tenant_id, o.id, to_json(o.created_at)#>>'{}' as created_at, o.command ->> 'type' as type,
    o.command #>> '{actor,id}' as actor_id, o.command ->> 'entityId' as command_entity_id, o.command #>> '{input,material,sealed}' as sealed_secret, a.id is not null as done, p.parked_at is not null as parked,
    a.outcome, a.entity_type, a.entity_id, a.error, a.response_status, ${HAS_CHANGES_COLUMN}, o.command -> 'idempotency' as claim, to_jsonb(k) as kept
  from operations o
  left join audit_entries a on a.tenant_id = o.tenant_id and a.id = o.id
  left join command_attempts p on p.tenant_id = o.tenant_id and p.command_id = o.id
  left join idempotency_keys k on k.tenant_id = o.tenant_id and k.key = (o.command #>> '{idempotency,key}')::uuid
  where o.tenant_id = $1 and o.id = $2 and o.created_at > now() - ${RETENTION}`;

/**
 * Returns an operation with its status and result. Returns undefined if the tenant created no such
 * operation within the last 24 hours.
 */
export async function readOperation(
  db: Database,
  tenantId: string,
  id: string,
): Promise<OperationView | undefined> {
  const sqlQuery = { name: 'read-operation', text: READ_OPERATION_QUERY, values: [tenantId, id] };
  const [row] = await db.read<OperationRow>(tenantId, sqlQuery);
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
  const result = await findOperationResult(row, (next) => db.read(tenantId, next));
  if (!result) return { ...view, status: 'queued', result };
  return { ...view, status: result.ok ? 'succeeded' : 'failed', result };
}

async function findOperationResult(
  row: OperationRow,
  query: (sqlQuery: SqlQuery) => Promise<{ body?: string }[]>,
): Promise<CommandResult | undefined> {
  if (row.done) return rebuildResult(row, query);
  if (row.kept) {
    const error = findReusedKeyError(row.claim, row.kept);
    if (error) return { id: row.id, ok: false, error };
    const { status, body, location } = row.kept;
    return { id: row.id, ok: true, status, body, location, replayed: true };
  }
  return row.parked ? { id: row.id, ok: false, error: PARKED_ERROR } : undefined;
}

const PARKED_ERROR: ErrorBody = {
  code: 'internal_error',
  message:
    'This write was set aside after it failed repeatedly on our side. Nothing was stored; support can run it again.',
};

/**
 * Returns the result of a command that has run. Otherwise stores the command as an operation, and
 * returns undefined. The look-up runs in the transaction that stores the operation. As a separate
 * read, the look-up could wait behind the tenant's slow reads, or be refused with them.
 */
export async function findResultOrStoreOperation(
  db: Database,
  command: Command,
  leaseSeconds: number,
): Promise<CommandResult | undefined> {
  return db.transaction([command.tenantId], async (tx) => {
    const [row] = await tx.query<AuditedResultRow>({
      name: 'find-result',
      text: `select a.tenant_id, a.id, a.outcome, a.entity_type, a.entity_id, a.error, a.response_status, ${HAS_CHANGES_COLUMN}
             from audit_entries a where a.tenant_id = $1 and a.id = $2`,
      values: [command.tenantId, command.id],
    });
    if (row) return rebuildResult(row, (sqlQuery) => tx.query(sqlQuery));
    storeOperationsAtCommit(tx, [command], leaseSeconds);
    return undefined;
  });
}

export async function storeOperation(db: Database, command: Command, leaseSeconds: number): Promise<void> {
  await db.transaction([command.tenantId], async (tx) =>
    storeOperationsAtCommit(tx, [command], leaseSeconds),
  );
}

/**
 * Stores the operations when the caller's transaction commits. If the transaction does not commit,
 * the commands never run.
 */
export function storeOperationsAtCommit(
  tx: Transaction,
  commands: readonly Command[],
  leaseSeconds: number,
): void {
  if (commands.length === 0) return;
  const rows = commands.map((command) => ({ tenant_id: command.tenantId, id: command.id, command }));
  tx.queryAtCommit({
    name: 'store-operations',
    text: `insert into operations (tenant_id, id, command, lease_until)
           select tenant_id, id, command, now() + make_interval(secs => $2)
           from ${recordsetSql('tenant_id uuid, id uuid, command jsonb')}
           on conflict (tenant_id, id) do update set lease_until = excluded.lease_until`,
    values: [JSON.stringify(rows), leaseSeconds],
  });
}

const EXPIRED_OPERATIONS: ExpiryRule = {
  table: 'operations',
  condition: `o.created_at < now() - ${RETENTION} and not ${IS_PENDING}`,
};

const EXPIRY_RULES: readonly ExpiryRule[] = [
  EXPIRED_OPERATIONS,
  EXPIRED_IDEMPOTENCY_RECORDS,
  EXPIRED_FACTORS,
  EXPIRED_SESSIONS,
  EXPIRED_SWEEP_FAILURES,
  EXPIRED_COMMAND_ATTEMPTS,
  EXPIRED_SECRETS,
  EXPIRED_EXPORTS,
  EXPIRED_SCHEDULES,
  EXPIRED_REPLAYS,
  EXPIRED_ENDPOINT_QUEUES,
  EXPIRED_CALLS,
  EXPIRED_INBOUND_NOTICES,
  EXPIRED_OUTBOUND_OPERATIONS,
  EXPIRED_SYNC_RUNS,
  EXPIRED_OAUTH_ATTEMPTS,
  EXPIRED_INVITATIONS,
  EXPIRED_RESETS,
  EXPIRED_ACCESS_MAILS,
  EXPIRED_LOST_WRITES,
];

/** Deletes expired rows, at most `limit` per table. Returns the number of deleted rows. */
export function purgeExpired(tx: Transaction, limit: number): Promise<number> {
  return deleteExpiredRows(tx, EXPIRY_RULES, limit);
}

/**
 * The sweep repeats for up to 5 s per minute. It thus deletes rows faster than webhooks and vendor
 * calls add them.
 */
export const purgeSweep: RowSweep = {
  name: 'purge-expired',
  everyMs: 60_000,
  changeRows: purgeExpired,
  limit: 5_000,
  repeatForMs: 5_000,
};
