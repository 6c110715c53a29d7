import { READ, type ResourceTable } from '../../records/resource-table.js';
import { suggestionRepresentation } from './representation.js';

export const suggestionTable: ResourceTable = {
  entityType: 'suggestion',
  table: 'suggestions',
  collection: '/suggestions',
  representation: suggestionRepresentation,
  readAccess: READ,
};
