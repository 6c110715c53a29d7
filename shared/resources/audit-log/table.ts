import type { ResourceTable } from '../../records/resource-table.js';
import { auditEntryRepresentation } from './representation.js';

export const auditEntryTable: ResourceTable = {
  entityType: 'audit_entry',
  table: 'audit_entries',
  collection: '/audit-log',
  representation: auditEntryRepresentation,
  readAccess: { permission: 'admin', agentScope: 'read_audit' },
};
