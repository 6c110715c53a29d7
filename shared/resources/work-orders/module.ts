import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { workOrderFields } from './fields.js';
import * as schemas from './schema.js';
import { workOrderTable } from './table.js';

export const workOrderModule = defineModule({
  table: workOrderTable,
  schemas,
  commands,
  fields: [workOrderFields],
});
