import Joi from 'joi';
import { actorType, auditOutcome, auditSource } from '../../contracts/enums.js';
import {
  allRequired,
  cursor,
  dateOrDateTime,
  dateTime,
  limit,
  oneOrMore,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { ACTOR_TYPES, AUDIT_OUTCOMES } from '../../contracts/vocabulary.js';
import { isUuid } from '../../platform/ids.js';

const action = () => text(100).example('invoice.created');
const entityType = () => text(50).example('invoice');

/**
 * An audit entry. The entry for a change is committed in the transaction of that change
 * (docs/decisions.md §9).
 */
export const auditEntry = allRequired({
  id: uuid(),
  occurred_at: dateTime(),
  actor: allRequired({
    type: actorType,
    id: uuid().allow(null),
    name: Joi.string().allow(null).example('Dana Whitfield'),
  }),
  action: action(),
  entity_type: entityType().allow(null),
  entity_id: uuid().allow(null),
  outcome: auditOutcome.description(
    'failed: refused by a rule; denied: missing rights; held: awaits approval',
  ),
  source: auditSource,
  tool: Joi.string()
    .allow(null)
    .description('The tool that the agent called')
    .example('create_invoice_draft'),
  changes: Joi.array()
    .items(
      Joi.object({
        field: Joi.string().required().example('status'),
        from: Joi.any().description('null if there was no value').example('draft'),
        to: Joi.any().description('null if the value was cleared').example('approved'),
      }),
    )
    .description(
      'Never contains secrets. A list of records, such as line_items, is a summary: {count, names, total_cents}',
    ),
  request_id: Joi.string().allow(null).example('0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e'),
  idempotency_key: uuid().allow(null),
  ip: Joi.string().allow(null).example('203.0.113.7'),
  user_agent: Joi.string().allow(null).example('Mozilla/5.0'),
}).meta({ className: 'AuditEntry' });

/**
 * An audit entry for agents. A short page contains whole entries. On a longer page, `changed`
 * replaces `changes`, and the entry omits null members and most details of the request.
 */
export const agentAuditListItem = auditEntry
  .fork(
    [
      'entity_type',
      'entity_id',
      'source',
      'tool',
      'changes',
      'request_id',
      'idempotency_key',
      'ip',
      'user_agent',
      'actor.id',
      'actor.name',
    ],
    (member) => member.optional(),
  )
  .keys({ changed: Joi.string().description('Names of the first changed fields').example('status') })
  .meta({ className: 'AgentAuditListItem' });

export const auditListQuery = Joi.object({
  entity_type: entityType().description('Kind of record'),
  entity_id: uuid().description('One record'),
  actor: Joi.string()
    .max(50)
    .custom((value: string, helpers) =>
      isUuid(value) || (ACTOR_TYPES as readonly string[]).includes(value)
        ? value.toLowerCase()
        : helpers.error('string.pattern.name', { name: `be an id or one of ${ACTOR_TYPES.join(', ')}` }),
    )
    .description(`Id of a person, key or agent; or a kind of actor: ${ACTOR_TYPES.join(', ')}`)
    .example('user'),
  action: action(),
  outcome: oneOrMore(AUDIT_OUTCOMES).description(
    'One outcome, or several joined by commas: ok,denied,failed,held leaves out dry runs',
  ),
  request_id: text(64)
    .description('The X-Request-Id of one request')
    .example('0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e'),
  since: dateOrDateTime().description("From this timestamp on; a date is the account's midnight"),
  until: dateOrDateTime().description("Before this timestamp; a date is the account's midnight"),
  limit: limit(100),
  cursor: cursor(),
}).meta({ className: 'AuditListQuery' });
