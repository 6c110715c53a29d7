import type { SyncIssueListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { syncIssueFields } from './fields.js';

export const listSyncIssues = defineList<SyncIssueListQuery>({
  table: 'sync_issues',
  fields: syncIssueFields,
  filters: ['connection_id', 'status', 'kind'],
});
