import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { approvalFields } from './fields.js';
import * as schemas from './schema.js';
import { approvalTable } from './table.js';

export const approvalModule = defineModule({
  table: approvalTable,
  schemas,
  commands,
  fields: [approvalFields],
});
