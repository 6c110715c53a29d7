import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { invalidReferencesOutcome } from '../../records/references.js';

/** Finds which of these connections are motor-club connections that are not revoked. */
export async function findLivePartners(
  tx: Transaction,
  connections: readonly RecordRef[],
): Promise<Set<string>> {
  if (connections.length === 0) return new Set();
  const rows = await tx.query<RecordRef>({
    name: 'find-live-partners',
    text: `select c.tenant_id, c.id from ${recordsetSql('tenant_id uuid, id uuid')}
           join connections c on c.tenant_id = r.tenant_id and c.id = r.id and c.kind = 'motor_club' and c.status <> 'revoked'`,
    values: [JSON.stringify(connections.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
  return new Set(rows.map(refKey));
}

type BilledCommand = Command<{ billing_connection_id?: string | null | undefined }>;

/**
 * Returns an error for each command whose billing_connection_id is not a motor-club connection of
 * its account, or a revoked one.
 */
export async function refuseUnknownPartners<C extends BilledCommand>(
  tx: Transaction,
  commands: readonly C[],
): Promise<Map<string, CommandOutcome>> {
  const named = commands.flatMap(({ id, tenantId, input }) =>
    input.billing_connection_id
      ? [{ id, ref: { tenant_id: tenantId, id: input.billing_connection_id } }]
      : [],
  );
  const live = await findLivePartners(
    tx,
    named.map(({ ref }) => ref),
  );
  const message = 'billing_connection_id is not a connected motor-club partner of this account';
  return new Map(
    named
      .filter(({ ref }) => !live.has(refKey(ref)))
      .map(({ id }) => [
        id,
        invalidReferencesOutcome([{ field: 'billing_connection_id', code: 'unknown', message }]),
      ]),
  );
}
