import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { autopayAttemptFields } from './fields.js';
import * as schemas from './schema.js';
import { autopayAttemptTable } from './table.js';

export const autopayAttemptModule = defineModule({
  table: autopayAttemptTable,
  schemas,
  commands,
  fields: [autopayAttemptFields],
});
