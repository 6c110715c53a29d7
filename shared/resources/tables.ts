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
  only?: string;
  /** Access required to read a record. Default: the permission `read`, and no agent access. */
  read?: Access;
}

const ADMIN: Access = { permission: 'admin', agentScope: null };

function readScope(agentScope: AgentScope): Access {
  return { permission: 'read', agentScope };
}

/** The table of each entity, and the SQL projection that renders its JSON. */
export const TABLES: Readonly<Record<string, ResourceTable>> = {
  invoice: {
    table: 'invoices',
    collection: '/invoices',
    representation: invoiceRepresentation,
    read: readScope('read_invoices'),
  },
  work_order: {
    table: 'work_orders',
    collection: '/work-orders',
    representation: workOrderRepresentation,
    read: readScope('read_work_orders'),
  },
  customer: {
    table: 'customers',
    collection: '/customers',
    representation: customerRepresentation,
    read: readScope('read_customers'),
  },
  payment: { table: 'payments', collection: '/payments', representation: paymentRepresentation },
  claim: { table: 'claims', collection: '/claims', representation: claimRepresentation },
  suggestion: { table: 'suggestions', collection: '/suggestions', representation: suggestionRepresentation },
  truck: {
    table: 'trucks',
    collection: '/trucks',
    representation: truckRepresentation,
    read: readScope('read_dispatch'),
  },
  driver: {
    table: 'drivers',
    collection: '/drivers',
    representation: driverRepresentation,
    read: readScope('read_dispatch'),
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
  export: { table: 'exports', collection: '/exports', representation: exportRepresentation, read: ADMIN },
  export_schedule: {
    table: 'export_schedules',
    collection: '/export-schedules',
    representation: exportScheduleRepresentation,
    only: 'deleted_at is null',
    read: ADMIN,
  },
  settings: { table: 'tenants', collection: '/settings', representation: settingsRepresentation },
  approval: {
    table: 'approvals',
    collection: '/approvals',
    representation: approvalRepresentation,
    read: readScope('propose_approvals'),
  },
  api_key: {
    table: 'api_keys',
    collection: '/api-keys',
    representation: apiKeyRepresentation,
    only: "kind = 'api'",
    read: ADMIN,
  },
  agent_key: {
    table: 'api_keys',
    collection: '/agent-keys',
    representation: agentKeyRepresentation,
    only: "kind = 'agent'",
    read: ADMIN,
  },
  session: { table: 'sessions', collection: '/session', representation: sessionRepresentation },
  user: { table: 'users', collection: '/users', representation: userRepresentation, read: ADMIN },
  webhook_endpoint: {
    table: 'webhook_endpoints',
    collection: '/webhook-endpoints',
    representation: webhookEndpointRepresentation,
    only: 'deleted_at is null',
    read: ADMIN,
  },
  audit_entry: {
    table: 'audit_entries',
    collection: '/audit-log',
    representation: auditEntryRepresentation,
    read: { permission: 'admin', agentScope: 'read_audit' },
  },
};

/** @throws {Error} if this version does not define the entity type */
export function resourceTable(entityType: string): ResourceTable {
  const found = TABLES[entityType];
  if (!found) throw new Error(`unknown entity type ${entityType}`);
  return found;
}

/** Returns the access required to read a record of an entity type. */
export function readAccess(entityType: string): Access {
  return resourceTable(entityType).read ?? { permission: 'read', agentScope: null };
}

/** Path of an entity's list without the version prefix, for example `/invoices`. */
export function collectionOf(entityType: string): string {
  return resourceTable(entityType).collection;
}
