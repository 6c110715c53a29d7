import Joi from 'joi';
import { approvalKind, approvalStatus } from '../../contracts/enums.js';
import {
  allRequired,
  cents,
  cursor,
  dateTime,
  limit,
  multilineText,
  uuid,
} from '../../contracts/schemas/fields.js';

const EXAMPLE_HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const MIN_JUSTIFICATION = 10;

/**
 * Counts characters like the published minLength. Joi alone counts a character beyond the basic
 * plane twice.
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

export const approvalChange = Joi.object({
  field: Joi.string().required().example('amount_cents'),
})
  .unknown(true)
  .meta({ className: 'ApprovalChange' });

export const approval = allRequired({
  id: uuid(),
  kind: approvalKind,
  status: approvalStatus.description('A pending approval past expires_at is expired'),
  action: Joi.string().example('invoice.create').description('The command that approving runs'),
  agent_id: uuid().allow(null).description('The agent key that sent the request; null if none did'),
  agent_name: Joi.string().allow(null),
  tool: Joi.string().allow(null).description('The agent tool that was called; null for a REST request'),
  payload: Joi.object({}).unknown(true).description('The input of the request, after validation'),
  amount_cents: cents().description('Total of the invoice that would result, tax included'),
  counted_cents: cents()
    .allow(null)
    .description('amount_cents plus the drafts that held_by counts with it; null for a proposal'),
  held_by: Joi.string()
    .valid('agent_gate_cents', 'agent_day_cents')
    .allow(null)
    .description('The setting whose threshold counted_cents reached; null for a proposal'),
  justification: Joi.string().allow(null),
  invoice_id: uuid().allow(null).description('The invoice concerned; null until a held invoice is created'),
  record_version: dateTime()
    .allow(null)
    .description('updated_at of that invoice when this was shown; null when there was none'),
  hash: Joi.string()
    .example(EXAMPLE_HASH)
    .description('SHA-256 of the canonical JSON of payload, amount_cents and record_version'),
  changes: Joi.array()
    .items(approvalChange)
    .description('What changed in amount_cents and record_version since this was first shown'),
  decided_by: uuid().allow(null).description('The user who decided'),
  decided_at: dateTime().allow(null),
  note: Joi.string()
    .allow(null)
    .description('The note of the person who decided, or why the approval was cancelled'),
  expires_at: dateTime(),
  created_at: dateTime(),
}).meta({ className: 'Approval' });

/** The response to an agent's write that awaits approval (docs/decisions.md §7). */
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
