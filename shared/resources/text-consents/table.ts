import { READ, type ResourceTable } from '../../records/resource-table.js';
import { textConsentFields } from './fields.js';

export const textConsentTable: ResourceTable = {
  entityType: 'text_consent',
  table: 'text_consents',
  collection: '/text-consents',
  representation: textConsentFields.representation,
  readAccess: READ,
};
