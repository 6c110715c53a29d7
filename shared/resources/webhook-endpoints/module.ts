import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { webhookEndpointFields } from './fields.js';
import * as healthCommands from './health/commands.js';
import * as schemas from './schema.js';
import { webhookEndpointTable } from './table.js';

export const webhookEndpointModule = defineModule({
  table: webhookEndpointTable,
  schemas,
  commands: { ...commands, ...healthCommands },
  fields: [webhookEndpointFields],
});
