import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { textConsentFields } from './fields.js';
import * as schemas from './schema.js';
import { textConsentTable } from './table.js';

export const textConsentModule = defineModule({
  table: textConsentTable,
  schemas,
  commands,
  fields: [textConsentFields],
});
