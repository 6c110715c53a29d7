import type { NoticeListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { noticeRepresentation } from './representation.js';

/** The page of notices that a query asks for. */
export function listNotices(query: NoticeListQuery, scope: ListScope): Statement {
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId).addIf(query.kind, 't.kind = ?');
  // As the condition of an index has it: unread ones are few among many.
  if (query.unread !== undefined) conditions.add(`t.read_at is ${query.unread ? '' : 'not '}null`);
  return listStatement({
    table: 'notices',
    representation: noticeRepresentation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
