import type { ClaimListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { claimFields } from './fields.js';

export function listClaims(query: ClaimListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'status', 'invoice_id');
  return buildListQuery({
    table: 'claims',
    representation: claimFields.representation('t'),
    conditions,
    search: { term: query.search, columns: ['club', 'po_number'], indexedTenantId: scope.tenantId },
    limit: query.limit,
    position: scope.position,
  });
}
