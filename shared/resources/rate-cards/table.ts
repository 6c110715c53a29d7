import { READ, type ResourceTable } from '../../records/resource-table.js';
import { rateCardRepresentation } from './representation.js';

export const rateCardTable: ResourceTable = {
  entityType: 'rate_card',
  table: 'rate_cards',
  collection: '/rate-cards',
  representation: rateCardRepresentation,
  readAccess: READ,
};
