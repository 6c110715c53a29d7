import type { MessageListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { messageListFields } from './fields.js';

export const listMessages = defineList<MessageListQuery>({
  table: 'messages',
  fields: messageListFields,
  filters: ['invoice_id', 'work_order_id', 'channel', 'direction', 'state'],
});
