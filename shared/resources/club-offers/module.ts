import { defineModule } from '../../records/fields/resource-module.js';
import * as commands from './commands.js';
import { clubOfferFields } from './fields.js';
import * as schemas from './schema.js';
import { clubOfferTable } from './table.js';

export const clubOfferModule = defineModule({
  table: clubOfferTable,
  schemas,
  commands,
  fields: [clubOfferFields],
});
