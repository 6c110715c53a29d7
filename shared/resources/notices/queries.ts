import type { NoticeListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { noticeFields } from './fields.js';

/** Builds the query for one page of notices. */
export function listNotices(query: NoticeListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId).addEqual(query, 'kind');
  // This SQL text must match the condition of the partial index on unread notices, or PostgreSQL
  // does not use that index.
  if (query.unread !== undefined) conditions.add(`t.read_at is ${query.unread ? '' : 'not '}null`);
  return buildListQuery({
    table: 'notices',
    representation: noticeFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
