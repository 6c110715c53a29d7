import Joi from 'joi';
import { approvalKind, approvalStatus } from '../../contracts/enums.js';
import { cents, dateTime, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

export const EXAMPLE_HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export const approvalChange = Joi.object({
  field: Joi.string().required().example('amount_cents'),
})
  .unknown(true)
  .meta({ className: 'ApprovalChange' });

const nullableText = () => Joi.string().allow(null);

/**
 * Returns the SQL condition that an approval is past its expiry, but still has the status
 * `pending`.
 */
const isExpiredSql = (alias: string) => `${alias}.status = 'pending' and ${alias}.expires_at <= now()`;

/**
 * Returns the SQL for the name of the person who decided. Earlier releases stored only the person's
 * id with a decision. In a sandbox, that id cannot be looked up, because the people belong to the
 * live account.
 */
const deciderNameSql = (alias: string) =>
  `coalesce(${alias}.decided_by_name, (select u.name from users u where u.tenant_id = ${alias}.tenant_id and u.id = ${alias}.decided_by))`;

export const approvalFields = defineFields({
  id: recordId(),
  kind: { output: approvalKind },
  status: {
    output: approvalStatus.description('A pending approval past expires_at is expired'),
    sql: (alias) => `case when ${isExpiredSql(alias)} then 'expired' else ${alias}.status end`,
  },
  action: { output: Joi.string().example('invoice.create').description('The command that approving runs') },
  agent_id: {
    output: uuid().allow(null).description('The agent key that sent the request; null if none did'),
  },
  agent_name: { output: nullableText(), freeText: true },
  tool: { output: nullableText().description('The agent tool that was called; null for a REST request') },
  payload: {
    output: Joi.object({}).unknown(true).description('The input of the request, after validation'),
  },
  amount_cents: { output: cents().description('Total of the invoice that would result, tax included') },
  counted_cents: {
    output: cents()
      .allow(null)
      .description('amount_cents plus the drafts that held_by counts with it; null for a proposal'),
  },
  held_by: {
    output: Joi.string()
      .valid('agent_gate_cents', 'agent_day_cents')
      .allow(null)
      .description('The setting whose threshold counted_cents reached; null for a proposal'),
    // An earlier version of the product stored no held_by, because agent_gate_cents was the only
    // threshold.
    sql: (alias) =>
      `coalesce(${alias}.held_by, case when ${alias}.kind = 'agent_write' then 'agent_gate_cents' end)`,
  },
  justification: { output: nullableText(), freeText: true },
  invoice_id: {
    output: uuid().allow(null).description('The invoice concerned; null until a held invoice is created'),
  },
  record_version: {
    output: dateTime()
      .allow(null)
      .description('updated_at of that invoice when this was shown; null when there was none'),
  },
  hash: {
    output: Joi.string()
      .example(EXAMPLE_HASH)
      .description('SHA-256 of the canonical JSON of payload, amount_cents and record_version'),
  },
  changes: {
    output: Joi.array()
      .items(approvalChange)
      .description('What changed in amount_cents and record_version since this was first shown'),
  },
  decided_by: { output: uuid().allow(null).description('The user who decided') },
  decided_at: time(dateTime().allow(null)),
  note: {
    output: nullableText().description(
      'The note of the person who decided, or why the approval was cancelled',
    ),
    freeText: true,
  },
  expires_at: time(),
  created_at: time(),
  decided_by_name: {
    output: nullableText()
      .description('The name of the user who decided, at that time')
      .example('Dana Whitfield'),
    sql: deciderNameSql,
    freeText: true,
  },
});
