import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { paymentFields, refundFields } from './fields.js';
import * as schemas from './schema.js';
import { paymentTable } from './table.js';

export const paymentModule = defineModule({
  table: paymentTable,
  schemas,
  commands,
  fields: [paymentFields, refundFields],
});
