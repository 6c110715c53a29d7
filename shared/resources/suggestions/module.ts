import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { suggestionFields } from './fields.js';
import * as schemas from './schema.js';
import { suggestionTable } from './table.js';

export const suggestionModule = defineModule({
  table: suggestionTable,
  schemas,
  commands,
  fields: [suggestionFields],
});
