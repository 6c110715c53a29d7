import type { RecordFields } from '../../records/fields/record-fields.js';
import { defineList } from '../../records/lists/define-list.js';
import { selectLinkedSql } from '../../sync/listed/listed-rows.js';
import type { ListedTable } from '../../sync/listed/listed-tables.js';

/**
 * Returns the list of what vendors list of a kind, of connections that are not revoked. Removed
 * records are listed only while they are linked.
 */
export function defineFleetList<Query extends { limit: number; connection_id?: string }>(
  { table, linkKind }: ListedTable,
  fields: RecordFields,
) {
  return defineList<Query>({
    table,
    fields,
    filters: ['connection_id'],
    only: `(t.removed_at is null or ${selectLinkedSql(linkKind, 't')} is not null) and exists (
    select from connections c where c.tenant_id = t.tenant_id and c.id = t.connection_id and c.status <> 'revoked')`,
  });
}
