import { READ, type ResourceTable } from '../../records/resource-table.js';
import { suggestionFields } from './fields.js';

export const suggestionTable: ResourceTable = {
  entityType: 'suggestion',
  table: 'suggestions',
  collection: '/suggestions',
  representation: suggestionFields.representation,
  readAccess: READ,
};
