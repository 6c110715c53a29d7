import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { truckFields } from './fields.js';
import { truckPositionFields } from './position-fields.js';
import * as schemas from './schema.js';
import { truckTable } from './table.js';

export const truckModule = defineModule({
  table: truckTable,
  schemas,
  commands,
  fields: [truckFields, truckPositionFields],
});
