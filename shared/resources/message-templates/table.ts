import { READ, type ResourceTable } from '../../records/resource-table.js';
import { messageTemplateFields } from './fields.js';

export const messageTemplateTable: ResourceTable = {
  entityType: 'message_template',
  table: 'message_templates',
  collection: '/message-templates',
  representation: messageTemplateFields.representation,
  readAccess: READ,
};
