import type { SqlQuery } from '../../platform/postgres/database.js';
import type { RecordFields } from '../fields/record-fields.js';
import { buildListQuery, Conditions, type ListScope } from './keyset-list.js';

interface ListOptions<Query> {
  table: string;
  fields: RecordFields;
  /** The filters of the list. Each filter compares the column that has the filter's name. */
  filters?: readonly (keyof Query & string)[];
  /** A condition over `t` that every record of the list fulfills. */
  only?: string;
}

/** Returns the function that builds the queries of a list whose filters only compare columns. */
export function defineList<Query extends { limit: number }>({
  table,
  fields,
  filters = [],
  only,
}: ListOptions<Query>): (query: Query, scope: ListScope) => SqlQuery {
  const representation = fields.representation('t');
  const always = ['t.tenant_id = ?', ...(only ? [only] : [])].join(' and ');
  return (query, { tenantId, position }) =>
    buildListQuery({
      table,
      representation,
      conditions: new Conditions().add(always, tenantId).addEqual(query, ...filters),
      limit: query.limit,
      position,
    });
}
