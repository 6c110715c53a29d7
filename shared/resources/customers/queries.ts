import type { CustomerListQuery } from '../../contracts/generated.js';
import { MAX_WHOLE_ITEMS } from '../../contracts/resource.js';
import { externalIdsMember } from '../../records/expansions/external-ids.js';
import {
  buildListQuery,
  Conditions,
  type FilterScope,
  type ListScope,
} from '../../records/lists/keyset-list.js';
import type { ListQuery } from '../../records/lists/page-query.js';
import { addSearchCondition, type ListSearch } from '../../records/lists/search.js';
import { BY_CREATION, readSort, type SortColumns } from '../../records/lists/sorted-list.js';
import { appendMembers, itemText } from '../../records/stored-json/stored-json.js';
import { briefCustomerRepresentation } from './representation.js';
import { customerTable } from './table.js';

const CUSTOMER_ITEM = itemText(customerTable);
const WITH_EXTERNAL_IDS = appendMembers(CUSTOMER_ITEM, [externalIdsMember('customer', 't')]);

const SORTS: SortColumns = {
  ...BY_CREATION,
  // A trigger copies company_name in lower case (migrations/20261203070000_sort_lists.ts).
  name: { column: 'sort_name', type: 'text', isNullable: false },
};

/**
 * Builds the conditions for exports of customers, including the search. The list has the same
 * filters, but passes its search to `buildListQuery`.
 */
export function buildCustomerConditions(query: CustomerListQuery, scope: FilterScope): Conditions {
  const conditions = customerFilters(query, scope);
  addSearchCondition(conditions, customerSearch(query, scope));
  return conditions;
}

function customerSearch({ search: term }: CustomerListQuery, { tenantId }: FilterScope): ListSearch {
  return { term, columns: ['company_name', 'billing_email'], indexedTenantId: tenantId };
}

function customerFilters(query: CustomerListQuery, scope: FilterScope): Conditions {
  return new Conditions().add('t.tenant_id = ?', scope.tenantId).addEqual(query, 'company_type', 'is_active');
}

export function listCustomers(query: CustomerListQuery, scope: ListScope): ListQuery {
  return buildListQuery({
    table: 'customers',
    ...(query.expand ? WITH_EXTERNAL_IDS : CUSTOMER_ITEM),
    conditions: customerFilters(query, scope),
    search: customerSearch(query, scope),
    limit: query.limit,
    position: scope.position,
    sort: readSort(SORTS, query.sort),
  });
}

/** Lists customers for agents: whole customers on a short page, brief customers on a long page. */
export function listAgentCustomers(
  query: Pick<CustomerListQuery, 'search' | 'limit'>,
  scope: ListScope,
): ListQuery {
  return buildListQuery({
    table: 'customers',
    ...(query.limit <= MAX_WHOLE_ITEMS
      ? CUSTOMER_ITEM
      : { representation: briefCustomerRepresentation('t') }),
    conditions: customerFilters(query, scope),
    search: customerSearch(query, scope),
    limit: query.limit,
    position: scope.position,
  });
}
