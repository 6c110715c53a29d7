import type { RemittanceLineListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { remittanceLineFields } from './fields.js';

/** Lists lines. The ids of a remittance's lines descend, so its first line comes first. */
export const listRemittanceLines = defineList<RemittanceLineListQuery>({
  table: 'remittance_lines',
  fields: remittanceLineFields,
  filters: ['remittance_id', 'status', 'outcome'],
});
