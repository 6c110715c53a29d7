import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { messageTemplateFields } from './fields.js';
import * as schemas from './schema.js';
import { messageTemplateTable } from './table.js';

export const messageTemplateModule = defineModule({
  table: messageTemplateTable,
  schemas,
  commands,
  fields: [messageTemplateFields],
});
