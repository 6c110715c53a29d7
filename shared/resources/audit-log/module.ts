import { defineModule } from '../../records/fields/resource-module.js';
import * as schemas from './schema.js';
import { auditEntryTable } from './table.js';

export const auditEntryModule = defineModule({ table: auditEntryTable, schemas });
