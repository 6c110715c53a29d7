import type { ClaimListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { appendMembers, itemText } from '../../records/stored-json/stored-json.js';
import { claimTable } from './table.js';

const CLAIM_ITEM = itemText(claimTable);
const WITH_NAMES = appendMembers(CLAIM_ITEM, [
  {
    name: 'invoice_number',
    sql: '(select i.invoice_number from invoices i where i.tenant_id = t.tenant_id and i.id = t.invoice_id)',
  },
  {
    name: 'customer_name',
    sql: `(select c.company_name from invoices i join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id where i.tenant_id = t.tenant_id and i.id = t.invoice_id)`,
  },
]);

export function listClaims(query: ClaimListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'status', 'invoice_id');
  return buildListQuery({
    table: 'claims',
    ...(query.expand ? WITH_NAMES : CLAIM_ITEM),
    conditions,
    search: { term: query.search, columns: ['club', 'po_number'], indexedTenantId: scope.tenantId },
    limit: query.limit,
    position: scope.position,
  });
}
