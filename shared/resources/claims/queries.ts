import type { ClaimListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { Conditions, containsPattern, type ListScope, listStatement } from '../keyset-list.js';
import { claimRepresentation } from './representation.js';

/** The page of claims that a query asks for. */
export function listClaims(query: ClaimListQuery, scope: ListScope): Statement {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.status, 't.status = ?')
    .addIf(query.invoice_id, 't.invoice_id = ?');
  if (query.search !== undefined) {
    const pattern = containsPattern(query.search);
    conditions.add('(t.club ilike ? or t.po_number ilike ?)', pattern, pattern);
  }
  return listStatement({
    table: 'claims',
    representation: claimRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
