import { READ, type ResourceTable } from '../../records/resource-table.js';
import { webhookDeliveryRepresentation } from './representation.js';

export const webhookDeliveryTable: ResourceTable = {
  entityType: 'webhook_delivery',
  label: 'delivery',
  table: 'webhook_deliveries',
  collection: '/webhook-deliveries',
  representation: webhookDeliveryRepresentation,
  readAccess: READ,
};
