import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import * as schemas from './schema.js';
import { refundTable } from './table.js';

export const refundModule = defineModule({ table: refundTable, schemas, commands });
