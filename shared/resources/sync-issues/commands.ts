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
  /** The vendor's id of the record that the issue is about. */
  external_id?: string;
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
    external_id: Joi.string(),
  }),
});

export interface SyncDifferenceOpening {
  connection_id: string;
  record_kind: string;
  /** Null if only the vendor has the record. */
  record_id: string | null;
  message: string;
  ours: object | null;
  theirs: object | null;
  /** The vendor's id of the record. */
  external_id: string;
  digest: string;
}

/**
 * Opens an issue about a difference. If the issue is already open, updates both versions of the
 * record in it. The integrations worker submits this command.
 */
export const recordSyncDifference = defineCommand<SyncDifferenceOpening>({
  type: 'sync_issue.record_difference',
  action: 'sync_issue.opened',
  permission: 'admin',
  schema: Joi.object({
    connection_id: Joi.string().required(),
    record_kind: Joi.string().required(),
    record_id: Joi.string().allow(null).required(),
    message: Joi.string().required(),
    ours: Joi.object().unknown().allow(null).required(),
    theirs: Joi.object().unknown().allow(null).required(),
    external_id: Joi.string().required(),
    digest: Joi.string().required(),
  }),
});

/**
 * Resolves the issue of a difference that no longer exists. The integrations worker submits this
 * command.
 */
export const closeSyncDifference = defineCommand<{ note: string }>({
  type: 'sync_issue.close_difference',
  action: 'sync_issue.resolved',
  permission: 'admin',
  schema: Joi.object({ note: Joi.string().required() }),
});
