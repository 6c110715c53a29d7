import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { savedMethodFields } from './fields.js';
import * as schemas from './schema.js';
import { savedMethodTable } from './table.js';

export const savedMethodModule = defineModule({
  table: savedMethodTable,
  schemas,
  commands,
  fields: [savedMethodFields],
});
