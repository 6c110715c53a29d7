import Joi from 'joi';
import { cursor, dateTime, limit, uuid } from '../../shared/contracts/fields.js';
import type { AuditListQuery } from '../../shared/contracts/generated.js';
import { listAuditEntries } from '../../shared/resources/audit-log/queries.js';
import { auditEntry } from '../../shared/resources/audit-log/schema.js';
import { countBy, defineListTool } from './tool.js';

type Search = Pick<AuditListQuery, 'entity_type' | 'actor' | 'since' | 'until' | 'limit' | 'cursor'>;

export const searchAuditLogTool = defineListTool<Search>({
  name: 'search_audit_log',
  title: 'Search the audit log',
  description:
    'Lists who did what in this account, newest first: people, keys, agents and the system, with what changed and whether it was allowed. Your own calls stand there too.',
  scope: 'read_audit',
  entityType: 'audit_log',
  action: 'audit_log.searched',
  input: Joi.object({
    entity_type: Joi.string().valid('invoice', 'work_order', 'customer'),
    actor: uuid().description('Id of a user or agent'),
    since: dateTime(),
    until: dateTime(),
    limit: limit(100),
    cursor: cursor(),
  }),
  output: auditEntry,
  statement: listAuditEntries,
  summary: (items) => countBy(items, 'outcome'),
});
