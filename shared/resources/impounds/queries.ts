import type { ImpoundListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { impoundFields } from './fields.js';

export const listImpounds = defineList<ImpoundListQuery>({
  table: 'impounds',
  fields: impoundFields,
  filters: ['status', 'work_order_id'],
});
