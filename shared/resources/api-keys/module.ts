import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { apiKeyFields } from './fields.js';
import * as schemas from './schema.js';
import { apiKeyTable } from './table.js';

export const apiKeyModule = defineModule({ table: apiKeyTable, schemas, commands, fields: [apiKeyFields] });
