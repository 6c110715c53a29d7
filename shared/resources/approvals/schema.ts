import Joi from 'joi';
import { approvalKind, approvalStatus } from '../../contracts/enums.js';
import { allRequired, cursor, limit, multilineText, uuid } from '../../contracts/schemas/fields.js';
import { approvalChange, approvalFields, EXAMPLE_HASH } from './fields.js';

export { approvalChange };

const MIN_JUSTIFICATION = 10;

/**
 * Checks the length as the published minLength does: an emoji counts as one character. Joi alone
 * counts an emoji as two.
 */
const checkLength: Joi.CustomValidator<string> = (value, helpers) =>
  value.length < MIN_JUSTIFICATION || [...value].length >= MIN_JUSTIFICATION
    ? value
    : helpers.error('string.min', { limit: MIN_JUSTIFICATION });

export const approvalPropose = Joi.object({
  kind: Joi.string()
    .valid('invoice_approval')
    .default('invoice_approval')
    .description('What is proposed. Only the approval of an invoice is supported'),
  invoice_id: uuid().required().description('A draft, or an invoice that needs review'),
  justification: multilineText(2000)
    .min(MIN_JUSTIFICATION)
    .custom(checkLength)
    .required()
    .example('Lines match the signed tow slip and the club rate card.')
    .description('Shown to the person who decides'),
}).meta({ className: 'ApprovalPropose' });

export const approvalApprove = Joi.object({
  hash: Joi.string()
    .pattern(/^[0-9a-f]{64}$/, 'be the hash of an approval: 64 hexadecimal digits in lower case')
    .example(EXAMPLE_HASH)
    .description(
      'The hash of the approval as it was shown. A different hash is 409 conflict, with the changes. Optional only while changes is empty',
    ),
  note: multilineText(2000).description('Stored with the decision'),
}).meta({ className: 'ApprovalApprove' });

export const approvalReject = Joi.object({
  reason: multilineText(2000)
    .required()
    .example('The winch-out was not on the slip.')
    .description('Stored as the note of the decision'),
}).meta({ className: 'ApprovalReject' });

export const approval = approvalFields.response.meta({ className: 'Approval' });

/** The response to an agent's write that waits for approval (docs/decisions.md §7). */
export const held = allRequired({
  ok: Joi.boolean().valid(true).example(true),
  pending_approval: Joi.boolean().valid(true).example(true),
  approval,
}).meta({ className: 'Held' });

export const approvalListQuery = Joi.object({
  status: approvalStatus,
  kind: approvalKind,
  agent_id: uuid(),
  invoice_id: uuid(),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ApprovalListQuery' });
