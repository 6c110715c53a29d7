import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import { dateTime, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { ISSUE_KINDS } from '../../sync/issue-rows.js';

export const syncIssueKind = namedEnum('SyncIssueKind', ISSUE_KINDS, {
  refused: 'The vendor refused a write for good',
  exhausted: 'All tries of a write failed',
  conflict: 'The record changed here and at the vendor',
  gone: 'The record does not exist at the vendor any more',
  difference: 'The daily comparison found that both sides differ',
});

export const syncIssueStatus = namedEnum('SyncIssueStatus', ['open', 'resolved'], {
  open: 'Waits for a decision',
  resolved: 'Decided',
});

export const syncIssueResolution = namedEnum('IssueResolution', ['retry', 'ours', 'theirs', 'ignore'], {
  retry: 'Try the write again',
  ours: 'Write our side again, over the one at the vendor',
  theirs: 'Leave the side at the vendor',
  ignore: 'Do nothing',
});

const side = () => Joi.object().unknown().allow(null);

export const syncIssueFields = defineFields({
  id: recordId(),
  connection_id: { output: uuid() },
  kind: { output: syncIssueKind },
  status: { output: syncIssueStatus },
  operation_id: { output: uuid().allow(null).description('The write that failed') },
  record_kind: { output: Joi.string().allow(null).example('message') },
  record_id: { output: uuid().allow(null) },
  message: { output: Joi.string().example('The vendor refused the number.') },
  ours: { output: side().description('Fields here, where the sides differ') },
  theirs: { output: side().description('Fields at the vendor') },
  resolution: { output: syncIssueResolution.allow(null) },
  note: { output: Joi.string().allow(null) },
  decided_by: { output: Joi.string().allow(null) },
  decided_at: time(dateTime().allow(null)),
  created_at: time(),
  updated_at: time(),
});
