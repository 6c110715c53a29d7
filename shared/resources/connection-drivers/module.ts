import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { connectionDriverFields } from './fields.js';
import * as schemas from './schema.js';
import { connectionDriverTable } from './table.js';

export const connectionDriverModule = defineModule({
  table: connectionDriverTable,
  schemas,
  commands,
  fields: [connectionDriverFields],
});
