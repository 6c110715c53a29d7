import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { yardFields } from './fields.js';
import * as schemas from './schema.js';
import { yardTable } from './table.js';

export const yardModule = defineModule({ table: yardTable, schemas, commands, fields: [yardFields] });
