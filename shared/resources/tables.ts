import type { Access } from '../contracts/access.js';
import type { AgentScope } from '../contracts/vocabulary.js';
import { agentKeyRepresentation } from './agent-keys/representation.js';
import { apiKeyRepresentation } from './api-keys/representation.js';
import { approvalRepresentation } from './approvals/representation.js';
import { auditEntryRepresentation } from './audit-log/representation.js';
import { claimRepresentation } from './claims/representation.js';
import { customerRepresentation } from './customers/representation.js';
import { driverRepresentation } from './drivers/representation.js';
import { eventRepresentation } from './events/representation.js';
import { exportScheduleRepresentation } from './export-schedules/representation.js';
import { exportRepresentation } from './exports/representation.js';
import { impoundRepresentation } from './impounds/representation.js';
import { inspectionRepresentation } from './inspections/representation.js';
import { invoiceRepresentation } from './invoices/representation.js';
import { messageRepresentation } from './messages/representation.js';
import { noticeRepresentation } from './notices/representation.js';
import { paymentRepresentation } from './payments/representation.js';
import { rateCardRepresentation } from './rate-cards/representation.js';
import { sessionRepresentation } from './sessions/representation.js';
import { settingsRepresentation } from './settings/representation.js';
import { suggestionRepresentation } from './suggestions/representation.js';
import { truckRepresentation } from './trucks/representation.js';
import { userRepresentation } from './users/representation.js';
import { webhookDeliveryRepresentation } from './webhook-deliveries/representation.js';
import { webhookEndpointRepresentation } from './webhook-endpoints/representation.js';
import { webhookReplayRepresentation } from './webhook-replays/representation.js';
import { workOrderRepresentation } from './work-orders/representation.js';

interface ResourceTable {
  table: string;
  /** Path of its list without the version prefix. */
  collection: string;
  representation: (alias: string) => string;
  /** SQL condition, without alias, for the rows of the table that belong to the resource. */
  rowFilter?: string;
  /** Access required to read a record. Default: the permission `read`, and no agent access. */
  readAccess?: Access;
}

const ADMIN: Access = { permission: 'admin', agentScope: null };

function readScope(agentScope: AgentScope): Access {
  return { permission: 'read', agentScope };
}

/** The table of each entity, and the SQL projection that renders its JSON. */
export const RESOURCE_TABLES: Readonly<Record<string, ResourceTable>> = {
  invoice: {
    table: 'invoices',
    collection: '/invoices',
    representation: invoiceRepresentation,
    readAccess: readScope('read_invoices'),
  },
  work_order: {
    table: 'work_orders',
    collection: '/work-orders',
    representation: workOrderRepresentation,
    readAccess: readScope('read_work_orders'),
  },
  customer: {
    table: 'customers',
    collection: '/customers',
    representation: customerRepresentation,
    readAccess: readScope('read_customers'),
  },
  payment: { table: 'payments', collection: '/payments', representation: paymentRepresentation },
  claim: { table: 'claims', collection: '/claims', representation: claimRepresentation },
  suggestion: { table: 'suggestions', collection: '/suggestions', representation: suggestionRepresentation },
  truck: {
    table: 'trucks',
    collection: '/trucks',
    representation: truckRepresentation,
    readAccess: readScope('read_dispatch'),
  },
  driver: {
    table: 'drivers',
    collection: '/drivers',
    representation: driverRepresentation,
    readAccess: readScope('read_dispatch'),
  },
  inspection: { table: 'inspections', collection: '/inspections', representation: inspectionRepresentation },
  rate_card: { table: 'rate_cards', collection: '/rate-cards', representation: rateCardRepresentation },
  impound: { table: 'impounds', collection: '/impounds', representation: impoundRepresentation },
  message: { table: 'messages', collection: '/messages', representation: messageRepresentation },
  notice: { table: 'notices', collection: '/notices', representation: noticeRepresentation },
  event: { table: 'events', collection: '/events', representation: eventRepresentation },
  webhook_delivery: {
    table: 'webhook_deliveries',
    collection: '/webhook-deliveries',
    representation: webhookDeliveryRepresentation,
  },
  webhook_replay: {
    table: 'webhook_replays',
    collection: '/webhook-replays',
    representation: webhookReplayRepresentation,
  },
  export: {
    table: 'exports',
    collection: '/exports',
    representation: exportRepresentation,
    readAccess: ADMIN,
  },
  export_schedule: {
    table: 'export_schedules',
    collection: '/export-schedules',
    representation: exportScheduleRepresentation,
    rowFilter: 'deleted_at is null',
    readAccess: ADMIN,
  },
  settings: { table: 'tenants', collection: '/settings', representation: settingsRepresentation },
  approval: {
    table: 'approvals',
    collection: '/approvals',
    representation: approvalRepresentation,
    readAccess: readScope('propose_approvals'),
  },
  api_key: {
    table: 'api_keys',
    collection: '/api-keys',
    representation: apiKeyRepresentation,
    rowFilter: "kind = 'api'",
    readAccess: ADMIN,
  },
  agent_key: {
    table: 'api_keys',
    collection: '/agent-keys',
    representation: agentKeyRepresentation,
    rowFilter: "kind = 'agent'",
    readAccess: ADMIN,
  },
  session: { table: 'sessions', collection: '/session', representation: sessionRepresentation },
  user: { table: 'users', collection: '/users', representation: userRepresentation, readAccess: ADMIN },
  webhook_endpoint: {
    table: 'webhook_endpoints',
    collection: '/webhook-endpoints',
    representation: webhookEndpointRepresentation,
    rowFilter: 'deleted_at is null',
    readAccess: ADMIN,
  },
  audit_entry: {
    table: 'audit_entries',
    collection: '/audit-log',
    representation: auditEntryRepresentation,
    readAccess: { permission: 'admin', agentScope: 'read_audit' },
  },
};

/** @throws {Error} if this version does not define the entity type */
export function getResourceTable(entityType: string): ResourceTable {
  const found = RESOURCE_TABLES[entityType];
  if (!found) throw new Error(`unknown entity type ${entityType}`);
  return found;
}

/** Returns the access required to read a record of an entity type. */
export function getReadAccess(entityType: string): Access {
  return getResourceTable(entityType).readAccess ?? { permission: 'read', agentScope: null };
}

/** Path of an entity's list without the version prefix, for example `/invoices`. */
export function getCollectionPath(entityType: string): string {
  return getResourceTable(entityType).collection;
}
