import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { invitationFields } from './fields.js';

export const invitationTable: ResourceTable = {
  entityType: 'invitation',
  table: 'invitations',
  collection: '/invitations',
  representation: invitationFields.representation,
  readAccess: ADMIN,
};
