export { AuditEntryRecord as Record } from './audit-entry-record';
export { AuditLogScreen as Screen } from './audit-log-screen';
