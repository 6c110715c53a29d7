import type { Transaction } from '../platform/postgres/database.js';
import { recordsetSql } from '../records/record-refs.js';

export interface ExternalId {
  tenant_id: string;
  connection_id: string;
  kind: string;
  local_id: string;
  external_id: string;
  version: string | null;
  url: string | null;
}

const COLUMNS =
  'tenant_id uuid, connection_id uuid, kind text, local_id uuid, external_id text, version text, url text';
const NAMES = 'tenant_id, connection_id, kind, local_id, external_id, version, url';

/**
 * Stores the vendor's ids and versions of records, after a write or a pull. Skips an id that
 * another of our records already has, and returns the number of skipped ids as `taken`. Such an id
 * is no error here, because the vendor has already accepted the write.
 */
export async function storeExternalIds(
  tx: Transaction,
  ids: readonly ExternalId[],
): Promise<{ taken: number }> {
  if (ids.length === 0) return { taken: 0 };
  const rows = await tx.query({
    name: 'store-external-ids',
    text: `insert into external_ids (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}
           where not exists (
             select from external_ids x where x.tenant_id = r.tenant_id and x.connection_id = r.connection_id and x.kind = r.kind
               and x.external_id = r.external_id and x.local_id <> r.local_id)
           on conflict (tenant_id, connection_id, kind, local_id) do update set
             external_id = excluded.external_id, version = excluded.version,
             url = coalesce(excluded.url, external_ids.url), written_at = now()
           returning 1`,
    values: [JSON.stringify(ids)],
  });
  return { taken: ids.length - rows.length };
}

/**
 * Finds which of our records belong to these records of a vendor. Locks the rows of external_ids.
 */
export async function findExternalIds(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  changes: readonly { kind: string; externalId: string }[],
): Promise<ExternalId[]> {
  return tx.query<ExternalId>({
    name: 'find-external-ids',
    text: `select x.tenant_id, x.connection_id, x.kind, x.local_id, x.external_id, x.version, x.url
           from jsonb_to_recordset($1::jsonb) as r(kind text, "externalId" text)
           join external_ids x on x.tenant_id = $2 and x.connection_id = $3 and x.kind = r.kind and x.external_id = r."externalId"
           for update of x`,
    values: [
      JSON.stringify(changes.map(({ kind, externalId }) => ({ kind, externalId }))),
      tenantId,
      connectionId,
    ],
  });
}

/** Notes that the comparison with the vendor has seen these records there. */
export function markCompared(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { kind, externalIds }: { kind: string; externalIds: readonly string[] },
): void {
  tx.queryAtCommit({
    name: 'mark-compared',
    text: `update external_ids x set compared_at = now()
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = $3 and x.external_id = any($4::text[])`,
    values: [tenantId, connectionId, kind, externalIds],
  });
}
