import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { workOrderPhotoFields } from './fields.js';
import * as schemas from './schema.js';
import { workOrderPhotoTable } from './table.js';

export const workOrderPhotoModule = defineModule({
  table: workOrderPhotoTable,
  schemas,
  commands,
  fields: [workOrderPhotoFields],
});
