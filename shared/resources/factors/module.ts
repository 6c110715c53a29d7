import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import * as schemas from './schema.js';
import { factorTable } from './table.js';

export const factorModule = defineModule({ table: factorTable, schemas, commands });
