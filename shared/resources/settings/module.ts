import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import * as schemas from './schema.js';
import { settingsTable } from './table.js';

export const settingsModule = defineModule({ table: settingsTable, schemas, commands });
