import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { noticeFields } from './fields.js';
import * as schemas from './schema.js';
import { noticeTable } from './table.js';

export const noticeModule = defineModule({ table: noticeTable, schemas, commands, fields: [noticeFields] });
