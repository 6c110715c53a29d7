import Joi from 'joi';
import type { AuditListQuery } from '../../shared/contracts/generated.js';
import { MAX_WHOLE_ITEMS } from '../../shared/contracts/resource.js';
import { dateTime, uuid } from '../../shared/contracts/schemas/fields.js';
import { listAgentAuditEntries } from '../../shared/resources/audit-log/queries.js';
import { agentAuditListItem } from '../../shared/resources/audit-log/schema.js';
import { countBy, type JsonObject, quoteText } from '../text/format.js';
import { pageCursor, pageSize } from './fields.js';
import { defineListTool } from './tool.js';

type Search = Pick<AuditListQuery, 'entity_type' | 'actor' | 'since' | 'until' | 'limit' | 'cursor'>;

export const searchAuditLogTool = defineListTool<Search>({
  name: 'search_audit_log',
  title: 'Search the audit log',
  description: `Lists who did what in this account, newest first: people, API keys, agents and the system, with the outcome: ok, denied (missing rights), failed (refused by a rule), held (waits for an approval) or dry_run. Your own calls are included. Entries are brief and name what changed; with a limit of at most ${MAX_WHOLE_ITEMS} they are whole, with changes (field, from, to). Narrow it by since and until.`,
  scope: 'read_audit',
  entityType: 'audit_log',
  action: 'audit_log.searched',
  input: Joi.object({
    entity_type: Joi.string().valid('invoice', 'work_order', 'customer'),
    actor: uuid().description('Only of this person or key: `actor.id` of an entry'),
    since: dateTime().description('Inclusive; with an offset, as 2026-11-21T14:30:00Z'),
    until: dateTime().description('Exclusive'),
    limit: pageSize(100),
    cursor: pageCursor(),
  }),
  output: agentAuditListItem,
  buildQuery: listAgentAuditEntries,
  summarize: (items) => countBy(items, 'outcome'),
  // Omit seconds and the outcome `ok`, so that a page of default size stays below 8,000 tokens. The
  // structured result has both.
  describeItem: ({ occurred_at, actor, action, entity_id, outcome }) => {
    const { type, name } = actor as JsonObject;
    const time = String(occurred_at).replace(/:[\d.]+Z$/, 'Z');
    const actorText = name ? `${type} ${quoteText(name, 30)}` : type;
    return [time, actorText, action, entity_id, outcome === 'ok' ? '' : outcome].filter(Boolean).join(' ');
  },
});
