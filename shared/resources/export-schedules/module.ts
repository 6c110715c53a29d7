import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { exportScheduleFields } from './fields.js';
import * as schemas from './schema.js';
import { exportScheduleTable } from './table.js';

export const exportScheduleModule = defineModule({
  table: exportScheduleTable,
  schemas,
  commands,
  fields: [exportScheduleFields],
});
