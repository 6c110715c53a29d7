import type { CustomerListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import {
  Conditions,
  containsPattern,
  type FilterScope,
  type ListScope,
  listStatement,
} from '../keyset-list.js';
import { customerRepresentation } from './representation.js';

/** Which customers a query means: those of its list, and of an export with the same filters. */
export function customerConditions(query: CustomerListQuery, scope: FilterScope): Conditions {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.company_type, 't.company_type = ?')
    .addIf(query.is_active, 't.is_active = ?');
  if (query.search !== undefined) {
    const pattern = containsPattern(query.search);
    conditions.add('(t.company_name ilike ? or t.billing_email ilike ?)', pattern, pattern);
  }
  return conditions;
}

/** The page of customers that a query asks for. */
export function listCustomers(query: CustomerListQuery, scope: ListScope): Statement {
  return listStatement({
    table: 'customers',
    representation: customerRepresentation('t'),
    conditions: customerConditions(query, scope),
    limit: query.limit,
    position: scope.position,
  });
}
