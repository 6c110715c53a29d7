import type { Transaction } from '../platform/postgres/database.js';
import type { ExternalId } from './external-ids.js';
import { storeExternalIds } from './external-ids.js';

/** A person's decision that a record of ours and one of the vendor are the same thing. */
export type Link = Pick<ExternalId, 'tenant_id' | 'connection_id' | 'kind' | 'local_id' | 'external_id'>;

/** Finds the links of the connection that have either of the link's two records. */
export async function findLinks(
  tx: Transaction,
  { tenant_id, connection_id, kind, local_id, external_id }: Link,
): Promise<Link[]> {
  return tx.query<Link>({
    name: 'find-links',
    text: `select x.tenant_id, x.connection_id, x.kind, x.local_id, x.external_id from external_ids x
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = $3 and (x.local_id = $4 or x.external_id = $5)
           order by x.local_id for update`,
    values: [tenant_id, connection_id, kind, local_id, external_id],
  });
}

export async function storeLink(tx: Transaction, link: Link): Promise<void> {
  await storeExternalIds(tx, [{ ...link, version: null, url: null }]);
}

/** Removes the link of the vendor's record, and returns the id of our record if there was one. */
export async function removeLink(
  tx: Transaction,
  { tenant_id, connection_id, kind, external_id }: Omit<Link, 'local_id'>,
): Promise<string | undefined> {
  const [row] = await tx.query<{ local_id: string }>({
    name: 'remove-link',
    text: `delete from external_ids x where x.tenant_id = $1 and x.connection_id = $2 and x.kind = $3 and x.external_id = $4
           returning x.local_id`,
    values: [tenant_id, connection_id, kind, external_id],
  });
  return row?.local_id;
}

/** Finds our records to which these records of the vendor are linked. Returns a map of their ids. */
export async function findLinkedRecords(
  tx: Pick<Transaction, 'query'>,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { kind, externalIds }: { kind: string; externalIds: readonly string[] },
): Promise<Map<string, string>> {
  const rows = await tx.query<{ external_id: string; local_id: string }>({
    name: 'find-linked-records',
    text: `select x.external_id, x.local_id from external_ids x
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = $3 and x.external_id = any($4::text[])`,
    values: [tenantId, connectionId, kind, externalIds],
  });
  return new Map(rows.map(({ external_id, local_id }) => [external_id, local_id]));
}
