import type { YardListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { yardFields } from './fields.js';

export const listYards = defineList<YardListQuery>({ table: 'yards', fields: yardFields });
