import type { Config } from '../../config/config.js';
import { runWithoutFrozen } from '../../platform/frozen/frozen-accounts.js';
import type { Database, Transaction } from '../../platform/postgres/database.js';
import type { PrimaryIdentity } from '../../platform/primary/primary-identity.js';
import type { ExpiryRule } from '../../records/expiry.js';
import { recordsetSql } from '../../records/record-refs.js';
import { isInSessionTenants } from '../../records/session-tenants.js';
import { insertNotices, type NoticeDraft } from '../../resources/notices/store.js';
import type { AcknowledgedWrite } from './acknowledged-writes.js';

/** The primaries before and after a promotion. */
export interface PrimaryReplacement {
  from: PrimaryIdentity;
  to: PrimaryIdentity;
}

/** One transaction reads or stores at most this many writes. */
const WRITES_PER_TRANSACTION = 500;

function splitWrites(writes: readonly AcknowledgedWrite[]): AcknowledgedWrite[][] {
  return Array.from({ length: Math.ceil(writes.length / WRITES_PER_TRANSACTION) }, (_, index) =>
    writes.slice(index * WRITES_PER_TRANSACTION, (index + 1) * WRITES_PER_TRANSACTION),
  );
}

function listTenants(writes: readonly AcknowledgedWrite[]): string[] {
  return [...new Set(writes.map(({ tenant_id }) => tenant_id))];
}

/** Finds the writes that are neither done nor stored to be done later. */
export async function findMissingWrites(
  db: Database,
  writes: readonly AcknowledgedWrite[],
): Promise<AcknowledgedWrite[]> {
  const missing = new Set<string>();
  for (const chunk of splitWrites(writes)) {
    const rows = await db.runAndRollBack(listTenants(chunk), (tx) =>
      tx.query<{ command_id: string }>({
        name: 'find-missing-writes',
        text: `select r.command_id from ${recordsetSql('tenant_id uuid, command_id uuid')}
               where not exists (select from audit_entries a where a.tenant_id = r.tenant_id and a.id = r.command_id)
                 and not exists (select from operations o where o.tenant_id = r.tenant_id and o.id = r.command_id)`,
        values: [JSON.stringify(chunk.map(({ tenant_id, command_id }) => ({ tenant_id, command_id })))],
      }),
    );
    for (const { command_id } of rows) missing.add(command_id);
  }
  // A replay is remembered again. Each write is returned once.
  return writes.filter(({ command_id }) => missing.delete(command_id));
}

/** Stores the lost writes, and a notice for each of their accounts. Safe to repeat. */
export async function storeLostWrites(
  { db, config }: { db: Database; config: Config },
  writes: readonly AcknowledgedWrite[],
  { from, to }: PrimaryReplacement,
): Promise<void> {
  for (const writesOfChunk of splitWrites(writes)) {
    const tenantOf = ({ tenant_id }: AcknowledgedWrite) => tenant_id;
    await runWithoutFrozen(writesOfChunk, tenantOf, (chunk) =>
      storeChunk({ db, config }, chunk, { from, to }),
    );
  }
}

async function storeChunk(
  { db, config }: { db: Database; config: Config },
  chunk: readonly AcknowledgedWrite[],
  { from, to }: PrimaryReplacement,
): Promise<void> {
  await db.transaction(listTenants(chunk), async (tx) => {
    const stored = await tx.query<{ command_id: string }>({
      name: 'store-lost-writes',
      text: `insert into lost_writes (tenant_id, command_id, type, record_id, acknowledged_at, from_timeline, to_timeline)
               select r.tenant_id, r.command_id, r.type, r.record_id, r.acknowledged_at, $2, $3
               from ${recordsetSql('tenant_id uuid, command_id uuid, type text, record_id uuid, acknowledged_at timestamptz')}
               on conflict (tenant_id, command_id) do nothing returning command_id`,
      values: [
        JSON.stringify(chunk.map((write) => ({ ...write, acknowledged_at: toIso(write.acknowledged_at) }))),
        from.timeline,
        to.timeline,
      ],
    });
    const ids = new Set(stored.map(({ command_id }) => command_id));
    await notifyAccounts(
      tx,
      chunk.filter(({ command_id }) => ids.has(command_id)),
      config,
    );
  });
}

async function notifyAccounts(
  tx: Transaction,
  writes: readonly AcknowledgedWrite[],
  config: Config,
): Promise<void> {
  // The creation of an account can be among the lost writes.
  const accounts = await tx.query<{ tenant_id: string }>({
    name: 'find-accounts-of-lost-writes',
    text: 'select t.tenant_id from tenants t where t.tenant_id = any($1::uuid[])',
    values: [listTenants(writes)],
  });
  const drafts = accounts.map(({ tenant_id }) => {
    const own = writes.filter((write) => write.tenant_id === tenant_id);
    const { environment } = own[0] as AcknowledgedWrite;
    return { command: { tenantId: tenant_id, environment }, notice: buildNotice(tenant_id, own) };
  });
  await insertNotices(tx, drafts, config);
}

const MAX_LISTED = 50;

function buildNotice(tenantId: string, writes: readonly AcknowledgedWrite[]): NoticeDraft {
  const times = writes.map(({ acknowledged_at }) => acknowledged_at);
  const listed = writes.slice(0, MAX_LISTED).map(({ type, record_id }) => `${type} ${record_id}`);
  const omitted = writes.length - listed.length;
  return {
    kind: 'writes_lost',
    title: writes.length === 1 ? 'A confirmed write was lost' : `${writes.length} confirmed writes were lost`,
    text: [
      `Our database failed, and its copy lacks writes that we confirmed from ${toIso(Math.min(...times))} to ${toIso(Math.max(...times))}.`,
      `Make them again; a request with the same Idempotency-Key is safe to repeat. They are: ${listed.join(', ')}${omitted > 0 ? `, and ${omitted} more` : ''}.`,
    ].join(' '),
    entity_type: 'account',
    entity_id: tenantId,
  };
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}

export interface LostWrite extends Record<string, unknown> {
  tenant_id: string;
  command_id: string;
  type: string;
  record_id: string;
  acknowledged_at: Date;
  found_at: Date;
}

/**
 * SQL that lists the lost writes of the transaction's tenants that are not resolved. Leaves out a
 * write that has happened after all, because a worker kept its job for longer than expected.
 */
export const LIST_LOST_WRITES = `select l.tenant_id, l.command_id, l.type, l.record_id, l.acknowledged_at, l.found_at from lost_writes l
  where ${isInSessionTenants('l')} and l.resolved_at is null
    and not exists (select from audit_entries a where a.tenant_id = l.tenant_id and a.id = l.command_id)`;

export async function resolveLostWrites(db: Database, tenantId: string): Promise<void> {
  await db.transaction([tenantId], async (tx) =>
    tx.queryAtCommit({
      name: 'resolve-lost-writes',
      text: 'update lost_writes set resolved_at = now() where tenant_id = $1 and resolved_at is null',
      values: [tenantId],
    }),
  );
}

/** Unresolved rows stay, so that no lost write is forgotten, unless it happened after all. */
export const EXPIRED_LOST_WRITES: ExpiryRule = {
  table: 'lost_writes',
  condition: `(o.resolved_at < now() - interval '30 days' or o.found_at < now() - interval '30 days'
    and exists (select from audit_entries a where a.tenant_id = o.tenant_id and a.id = o.command_id))`,
};
