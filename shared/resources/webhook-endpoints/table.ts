import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { webhookEndpointFields } from './fields.js';

export const webhookEndpointTable: ResourceTable = {
  entityType: 'webhook_endpoint',
  table: 'webhook_endpoints',
  collection: '/webhook-endpoints',
  representation: webhookEndpointFields.representation,
  rowFilter: 'deleted_at is null',
  readAccess: ADMIN,
};
