import type { ClaimListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { appendMembers, itemText } from '../../records/stored-json/stored-json.js';
import { customerName } from '../customers/representation.js';
import { claimTable } from './table.js';

const CLAIM_ITEM = itemText(claimTable);
const OF_INVOICE = 'from invoices i where i.tenant_id = t.tenant_id and i.id = t.invoice_id';
const CUSTOMER = customerName('i');
const WITH_NAMES = appendMembers(CLAIM_ITEM, [
  { name: 'invoice_number', sql: `(select i.invoice_number ${OF_INVOICE})` },
  { ...CUSTOMER, sql: `(select ${CUSTOMER.sql} ${OF_INVOICE})` },
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
