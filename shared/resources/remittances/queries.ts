import type { RemittanceListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { remittanceFields } from './fields.js';

export const listRemittances = defineList<RemittanceListQuery>({
  table: 'remittances',
  fields: remittanceFields,
  filters: ['status', 'customer_id', 'reference'],
  only: 't.deleted_at is null',
});
