import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { recurringInvoiceFields } from './fields.js';
import * as schemas from './schema.js';
import { recurringInvoiceTable } from './table.js';

export const recurringInvoiceModule = defineModule({
  table: recurringInvoiceTable,
  schemas,
  commands,
  fields: [recurringInvoiceFields],
});
