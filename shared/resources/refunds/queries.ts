import type { RefundListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { refundFields } from '../payments/fields.js';

export const listRefunds = defineList<RefundListQuery>({
  table: 'refunds',
  fields: refundFields,
  filters: ['payment_id', 'status'],
});
