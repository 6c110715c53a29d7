import { PERSON_READ, type ResourceTable } from '../../records/resource-table.js';
import { factorRepresentation } from './representation.js';

export const factorTable: ResourceTable = {
  entityType: 'factor',
  table: 'user_factors',
  collection: '/me/factors',
  representation: factorRepresentation,
  readAccess: PERSON_READ,
};
