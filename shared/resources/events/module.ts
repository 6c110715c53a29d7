import { defineModule } from '../../records/fields/resource-module.js';
import * as schemas from './schema.js';
import { eventTable } from './table.js';

export const eventModule = defineModule({ table: eventTable, schemas });
