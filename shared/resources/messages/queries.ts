import type { MessageListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { messageListFields } from './fields.js';

/** Builds the query for one page of messages. */
export function listMessages(query: MessageListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'invoice_id', 'work_order_id', 'channel', 'direction', 'state');
  return buildListQuery({
    table: 'messages',
    representation: messageListFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
