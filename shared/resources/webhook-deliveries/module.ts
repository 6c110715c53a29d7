import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import * as schemas from './schema.js';
import { webhookDeliveryTable } from './table.js';

export const webhookDeliveryModule = defineModule({ table: webhookDeliveryTable, schemas, commands });
