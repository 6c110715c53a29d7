import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { remittanceFields } from './fields.js';
import * as schemas from './schema.js';
import { remittanceTable } from './table.js';

export const remittanceModule = defineModule({
  table: remittanceTable,
  schemas,
  commands,
  fields: [remittanceFields],
});
