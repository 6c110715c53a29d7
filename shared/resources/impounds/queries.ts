import type { ImpoundListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { impoundRepresentation } from './representation.js';

/** Builds the query for one page of impounds. */
export function listImpounds(query: ImpoundListQuery, scope: ListScope): Statement {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.status, 't.status = ?')
    .addIf(query.work_order_id, 't.work_order_id = ?');
  return listStatement({
    table: 'impounds',
    representation: impoundRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
