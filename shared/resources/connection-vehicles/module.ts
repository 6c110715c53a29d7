import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { connectionVehicleFields } from './fields.js';
import * as schemas from './schema.js';
import { connectionVehicleTable } from './table.js';

export const connectionVehicleModule = defineModule({
  table: connectionVehicleTable,
  schemas,
  commands,
  fields: [connectionVehicleFields],
});
