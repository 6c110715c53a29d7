import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import * as schemas from './schema.js';
import { webhookReplayTable } from './table.js';

export const webhookReplayModule = defineModule({ table: webhookReplayTable, schemas, commands });
