import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { disputeFields } from './fields.js';
import * as schemas from './schema.js';
import { disputeTable } from './table.js';

export const disputeModule = defineModule({
  table: disputeTable,
  schemas,
  commands,
  fields: [disputeFields],
});
