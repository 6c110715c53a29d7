import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { driverFields } from './fields.js';
import * as schemas from './schema.js';
import { driverTable } from './table.js';

export const driverModule = defineModule({ table: driverTable, schemas, commands, fields: [driverFields] });
