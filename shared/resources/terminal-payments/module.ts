import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { terminalPaymentFields } from './fields.js';
import * as schemas from './schema.js';
import { terminalPaymentTable } from './table.js';

export const terminalPaymentModule = defineModule({
  table: terminalPaymentTable,
  schemas,
  commands,
  fields: [terminalPaymentFields],
});
