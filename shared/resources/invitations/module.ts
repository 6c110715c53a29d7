import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { invitationFields } from './fields.js';
import * as schemas from './schema.js';
import { invitationTable } from './table.js';

export const invitationModule = defineModule({
  table: invitationTable,
  schemas,
  commands,
  fields: [invitationFields],
});
