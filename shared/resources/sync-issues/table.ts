import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { syncIssueFields } from './fields.js';

export const syncIssueTable: ResourceTable = {
  entityType: 'sync_issue',
  table: 'sync_issues',
  collection: '/sync-issues',
  representation: syncIssueFields.representation,
  readAccess: ADMIN,
};
