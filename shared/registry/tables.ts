import type { Access } from '../contracts/access.js';
import type { ResourceTable } from '../records/resource-table.js';
import { agentKeyTable } from '../resources/agent-keys/table.js';
import { apiKeyTable } from '../resources/api-keys/table.js';
import { approvalTable } from '../resources/approvals/table.js';
import { auditEntryTable } from '../resources/audit-log/table.js';
import { claimTable } from '../resources/claims/table.js';
import { customerTable } from '../resources/customers/table.js';
import { driverTable } from '../resources/drivers/table.js';
import { eventTable } from '../resources/events/table.js';
import { exportScheduleTable } from '../resources/export-schedules/table.js';
import { exportTable } from '../resources/exports/table.js';
import { impoundTable } from '../resources/impounds/table.js';
import { inspectionTable } from '../resources/inspections/table.js';
import { invoiceTable } from '../resources/invoices/table.js';
import { messageTable } from '../resources/messages/table.js';
import { noticeTable } from '../resources/notices/table.js';
import { paymentTable } from '../resources/payments/table.js';
import { rateCardTable } from '../resources/rate-cards/table.js';
import { sessionTable } from '../resources/sessions/table.js';
import { settingsTable } from '../resources/settings/table.js';
import { suggestionTable } from '../resources/suggestions/table.js';
import { truckTable } from '../resources/trucks/table.js';
import { userTable } from '../resources/users/table.js';
import { webhookDeliveryTable } from '../resources/webhook-deliveries/table.js';
import { webhookEndpointTable } from '../resources/webhook-endpoints/table.js';
import { webhookReplayTable } from '../resources/webhook-replays/table.js';
import { workOrderTable } from '../resources/work-orders/table.js';

const TABLES: readonly ResourceTable[] = [
  invoiceTable,
  workOrderTable,
  customerTable,
  paymentTable,
  claimTable,
  suggestionTable,
  truckTable,
  driverTable,
  inspectionTable,
  rateCardTable,
  impoundTable,
  messageTable,
  noticeTable,
  eventTable,
  webhookDeliveryTable,
  webhookReplayTable,
  exportTable,
  exportScheduleTable,
  settingsTable,
  approvalTable,
  apiKeyTable,
  agentKeyTable,
  sessionTable,
  userTable,
  webhookEndpointTable,
  auditEntryTable,
];

/** The table of each entity type. */
export const RESOURCE_TABLES: Readonly<Record<string, ResourceTable>> = Object.fromEntries(
  TABLES.map((table) => [table.entityType, table]),
);

/** @throws {Error} if this version does not define the entity type */
export function getResourceTable(entityType: string): ResourceTable {
  const found = RESOURCE_TABLES[entityType];
  if (!found) throw new Error(`unknown entity type ${entityType}`);
  return found;
}

/** Returns the access required to read a record of an entity type. */
export function getReadAccess(entityType: string): Access {
  return getResourceTable(entityType).readAccess;
}

/** Path of an entity's list without the version prefix, for example `/invoices`. */
export function getCollectionPath(entityType: string): string {
  return getResourceTable(entityType).collection;
}
