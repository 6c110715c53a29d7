import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { inspectionFields } from './fields.js';
import * as schemas from './schema.js';
import { inspectionTable } from './table.js';

export const inspectionModule = defineModule({
  table: inspectionTable,
  schemas,
  commands,
  fields: [inspectionFields],
});
