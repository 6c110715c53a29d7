import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { rateCardFields } from './fields.js';
import * as schemas from './schema.js';
import { rateCardTable } from './table.js';

export const rateCardModule = defineModule({
  table: rateCardTable,
  schemas,
  commands,
  fields: [rateCardFields],
});
