import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { terminalReaderFields } from './fields.js';
import * as schemas from './schema.js';
import { terminalReaderTable } from './table.js';

export const terminalReaderModule = defineModule({
  table: terminalReaderTable,
  schemas,
  commands,
  fields: [terminalReaderFields],
});
