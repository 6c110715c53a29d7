import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { messageFields, messageListFields } from './fields.js';
import * as schemas from './schema.js';
import { messageTable } from './table.js';

export const messageModule = defineModule({
  table: messageTable,
  schemas,
  commands,
  fields: [messageListFields, messageFields],
});
