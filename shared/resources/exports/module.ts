import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { exportFields } from './fields.js';
import * as schemas from './schema.js';
import { exportTable } from './table.js';

export const exportModule = defineModule({ table: exportTable, schemas, commands, fields: [exportFields] });
