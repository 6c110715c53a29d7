import { READ, type ResourceTable } from '../../records/resource-table.js';
import { payLinkFields } from './fields.js';

export const payLinkTable: ResourceTable = {
  entityType: 'pay_link',
  table: 'pay_links',
  collection: '/pay-links',
  representation: payLinkFields.representation,
  readAccess: READ,
};
