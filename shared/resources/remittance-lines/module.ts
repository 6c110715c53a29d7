import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { remittanceLineFields } from './fields.js';
import * as schemas from './schema.js';
import { remittanceLineTable } from './table.js';

export const remittanceLineModule = defineModule({
  table: remittanceLineTable,
  schemas,
  commands,
  fields: [remittanceLineFields],
});
