import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { claimFields } from './fields.js';
import * as schemas from './schema.js';
import { claimTable } from './table.js';

export const claimModule = defineModule({
  table: claimTable,
  schemas,
  commands,
  fields: [claimFields],
});
