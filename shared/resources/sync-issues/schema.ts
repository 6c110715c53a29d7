import Joi from 'joi';
import { cursor, limit, multilineText, uuid } from '../../contracts/schemas/fields.js';
import { syncIssueFields, syncIssueKind, syncIssueResolution, syncIssueStatus } from './fields.js';

export { syncIssueKind, syncIssueResolution, syncIssueStatus };

export const syncIssue = syncIssueFields.response.meta({ className: 'SyncIssue' });

export const syncIssueResolve = Joi.object({
  resolution: syncIssueResolution.required(),
  note: multilineText(2000),
}).meta({ className: 'SyncIssueResolve' });

export const syncIssueListQuery = Joi.object({
  connection_id: uuid(),
  status: syncIssueStatus,
  kind: syncIssueKind,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'SyncIssueListQuery' });
