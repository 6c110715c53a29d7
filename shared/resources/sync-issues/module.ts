import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { syncIssueFields } from './fields.js';
import * as schemas from './schema.js';
import { syncIssueTable } from './table.js';

export const syncIssueModule = defineModule({
  table: syncIssueTable,
  schemas,
  commands,
  fields: [syncIssueFields],
});
