import type { ApprovalListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { approvalFields } from './fields.js';

/** Lists approvals. For an agent key, lists only those that the key requested. */
export function listApprovals(query: ApprovalListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(scope.agentId, 't.agent_id = ?')
    .addEqual(query, 'kind', 'agent_id', 'invoice_id');
  // A pending approval past its expiry is listed as expired, even before the clock updates the row.
  // The field `status` of the approval then also shows `expired`.
  if (query.status === 'pending') conditions.add("t.status = 'pending' and t.expires_at > now()");
  else if (query.status === 'expired')
    conditions.add("(t.status = 'expired' or (t.status = 'pending' and t.expires_at <= now()))");
  else conditions.addEqual(query, 'status');
  return buildListQuery({
    table: 'approvals',
    representation: approvalFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
