import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { payoutFields, payoutItemFields } from './fields.js';
import * as schemas from './schema.js';
import { payoutTable } from './table.js';

export const payoutModule = defineModule({
  table: payoutTable,
  schemas,
  commands,
  fields: [payoutFields, payoutItemFields],
});
