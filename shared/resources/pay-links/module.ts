import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { payLinkFields } from './fields.js';
import * as schemas from './schema.js';
import { payLinkTable } from './table.js';

export const payLinkModule = defineModule({
  table: payLinkTable,
  schemas,
  commands,
  fields: [payLinkFields],
});
