import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { SyncIssueResolve } from '../../contracts/generated.js';
import type { IssueKind } from '../../sync/issue-rows.js';
import { syncIssueResolve } from './schema.js';

export const resolveSyncIssue = defineCommand<SyncIssueResolve>({
  type: 'sync_issue.resolve',
  action: 'sync_issue.resolved',
  permission: 'admin',
  schema: syncIssueResolve,
});

export interface SyncIssueOpening {
  connection_id: string;
  kind: IssueKind;
  operation_id: string | null;
  record_kind: string;
  record_id: string;
  message: string;
}

/** Opens a sync issue. The integrations worker submits this command. */
export const openSyncIssue = defineCommand<SyncIssueOpening>({
  type: 'sync_issue.open',
  action: 'sync_issue.opened',
  permission: 'admin',
  creates: true,
  schema: Joi.object({
    connection_id: Joi.string().required(),
    kind: Joi.string().required(),
    operation_id: Joi.string().allow(null).required(),
    record_kind: Joi.string().required(),
    record_id: Joi.string().required(),
    message: Joi.string().required(),
  }),
});
