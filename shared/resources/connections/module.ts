import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { connectionFields } from './fields.js';
import * as schemas from './schema.js';
import { connectionTable } from './table.js';

export const connectionModule = defineModule({
  table: connectionTable,
  schemas,
  commands,
  fields: [connectionFields],
});
