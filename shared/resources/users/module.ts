import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { userFields } from './fields.js';
import * as joiningSchemas from './joining-schema.js';
import * as schemas from './schema.js';
import { userTable } from './table.js';

export const userModule = defineModule({
  table: userTable,
  schemas: { ...schemas, ...joiningSchemas },
  commands,
  fields: [userFields],
});
