import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { customerFields } from './fields.js';
import * as schemas from './schema.js';
import { customerTable } from './table.js';

export const customerModule = defineModule({
  table: customerTable,
  schemas,
  commands,
  fields: [customerFields],
});
