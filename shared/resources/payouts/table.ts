import { READ, type ResourceTable } from '../../records/resource-table.js';
import { payoutFields } from './fields.js';

export const payoutTable: ResourceTable = {
  entityType: 'payout',
  table: 'payouts',
  collection: '/payouts',
  representation: payoutFields.representation,
  readAccess: READ,
};
