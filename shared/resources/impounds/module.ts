import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { impoundFields } from './fields.js';
import * as schemas from './schema.js';
import { impoundTable } from './table.js';

export const impoundModule = defineModule({
  table: impoundTable,
  schemas,
  commands,
  fields: [impoundFields],
});
