import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { webhookEndpointRepresentation } from './representation.js';

export const webhookEndpointTable: ResourceTable = {
  entityType: 'webhook_endpoint',
  table: 'webhook_endpoints',
  collection: '/webhook-endpoints',
  representation: webhookEndpointRepresentation,
  rowFilter: 'deleted_at is null',
  readAccess: ADMIN,
};
