import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { agentKeyFields } from './fields.js';
import * as schemas from './schema.js';
import { agentKeyTable } from './table.js';

export const agentKeyModule = defineModule({
  table: agentKeyTable,
  schemas,
  commands,
  fields: [agentKeyFields],
});
