import { defineModule } from '../../records/fields/resource-module.js';
import { truckPositionFields } from './fields.js';
import * as schemas from './schema.js';
import { truckPositionTable } from './table.js';

export const truckPositionModule = defineModule({
  table: truckPositionTable,
  schemas,
  fields: [truckPositionFields],
});
