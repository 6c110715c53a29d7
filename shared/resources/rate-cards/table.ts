import { READ, type ResourceTable } from '../../records/resource-table.js';
import { rateCardFields } from './fields.js';

export const rateCardTable: ResourceTable = {
  entityType: 'rate_card',
  table: 'rate_cards',
  collection: '/rate-cards',
  representation: rateCardFields.representation,
  readAccess: READ,
};
