import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { invoiceFields, invoiceListFields } from './fields.js';
import * as schemas from './schema.js';
import { invoiceTable } from './table.js';

export const invoiceModule = defineModule({
  table: invoiceTable,
  schemas,
  commands,
  fields: [invoiceListFields, invoiceFields],
});
