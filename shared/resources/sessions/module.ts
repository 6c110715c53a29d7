import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import * as schemas from './schema.js';
import { sessionTable } from './table.js';

export const sessionModule = defineModule({ table: sessionTable, schemas, commands });
