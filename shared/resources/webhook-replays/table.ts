import { READ, type ResourceTable } from '../../records/resource-table.js';
import { webhookReplayRepresentation } from './representation.js';

export const webhookReplayTable: ResourceTable = {
  entityType: 'webhook_replay',
  label: 'replay',
  table: 'webhook_replays',
  collection: '/webhook-replays',
  representation: webhookReplayRepresentation,
  readAccess: READ,
};
