import type { CommandDefinition } from '../contracts/command.js';
import * as enums from '../contracts/enums.js';
import type { ResourceDefinition } from '../contracts/resource.js';
import * as agentKeyCommands from '../resources/agent-keys/commands.js';
import * as agentKeySchemas from '../resources/agent-keys/schema.js';
import * as apiKeyCommands from '../resources/api-keys/commands.js';
import * as apiKeySchemas from '../resources/api-keys/schema.js';
import * as approvalCommands from '../resources/approvals/commands.js';
import * as approvalSchemas from '../resources/approvals/schema.js';
import * as auditLogSchemas from '../resources/audit-log/schema.js';
import * as claimCommands from '../resources/claims/commands.js';
import * as claimSchemas from '../resources/claims/schema.js';
import * as customerCommands from '../resources/customers/commands.js';
import * as customerSchemas from '../resources/customers/schema.js';
import * as customerStatementSchemas from '../resources/customers/statement-schema.js';
import * as dispatchBoardSchemas from '../resources/dispatch-board/schema.js';
import * as driverCommands from '../resources/drivers/commands.js';
import * as driverSchemas from '../resources/drivers/schema.js';
import * as eventTypeSchemas from '../resources/event-types/schema.js';
import * as eventSchemas from '../resources/events/schema.js';
import * as exportScheduleCommands from '../resources/export-schedules/commands.js';
import * as exportScheduleSchemas from '../resources/export-schedules/schema.js';
import * as exportCommands from '../resources/exports/commands.js';
import * as exportSchemas from '../resources/exports/schema.js';
import * as impoundCommands from '../resources/impounds/commands.js';
import * as impoundSchemas from '../resources/impounds/schema.js';
import * as inspectionCommands from '../resources/inspections/commands.js';
import * as inspectionSchemas from '../resources/inspections/schema.js';
import * as invoiceCommands from '../resources/invoices/commands.js';
import * as invoiceSchemas from '../resources/invoices/schema.js';
import * as messageCommands from '../resources/messages/commands.js';
import * as messageSchemas from '../resources/messages/schema.js';
import * as noticeCommands from '../resources/notices/commands.js';
import * as noticeSchemas from '../resources/notices/schema.js';
import * as operationSchemas from '../resources/operations/schema.js';
import * as paymentCommands from '../resources/payments/commands.js';
import * as paymentSchemas from '../resources/payments/schema.js';
import * as rateCardCommands from '../resources/rate-cards/commands.js';
import * as rateCardSchemas from '../resources/rate-cards/schema.js';
import * as sessionCommands from '../resources/sessions/commands.js';
import * as sessionSchemas from '../resources/sessions/schema.js';
import * as settingsCommands from '../resources/settings/commands.js';
import * as settingsSchemas from '../resources/settings/schema.js';
import * as suggestionCommands from '../resources/suggestions/commands.js';
import * as suggestionSchemas from '../resources/suggestions/schema.js';
import * as truckCommands from '../resources/trucks/commands.js';
import * as truckSchemas from '../resources/trucks/schema.js';
import * as userCommands from '../resources/users/commands.js';
import * as userSchemas from '../resources/users/schema.js';
import * as webhookDeliveryCommands from '../resources/webhook-deliveries/commands.js';
import * as webhookDeliverySchemas from '../resources/webhook-deliveries/schema.js';
import * as webhookEndpointCommands from '../resources/webhook-endpoints/commands.js';
import * as endpointHealthCommands from '../resources/webhook-endpoints/health/commands.js';
import * as webhookEndpointSchemas from '../resources/webhook-endpoints/schema.js';
import * as webhookReplayCommands from '../resources/webhook-replays/commands.js';
import * as webhookReplaySchemas from '../resources/webhook-replays/schema.js';
import * as workOrderCommands from '../resources/work-orders/commands.js';
import * as workOrderSchemas from '../resources/work-orders/schema.js';

/**
 * All resources. OpenAPI components and types are generated from this list. tables.ts lists their
 * tables and projections.
 */
export const resources: readonly ResourceDefinition[] = [
  { entityType: 'invoice', schemas: invoiceSchemas },
  { entityType: 'work_order', schemas: workOrderSchemas },
  { entityType: 'customer', schemas: customerSchemas },
  { entityType: 'payment', schemas: paymentSchemas },
  { entityType: 'claim', schemas: claimSchemas },
  { entityType: 'suggestion', schemas: suggestionSchemas },
  { entityType: 'truck', schemas: truckSchemas },
  { entityType: 'driver', schemas: driverSchemas },
  { entityType: 'inspection', schemas: inspectionSchemas },
  { entityType: 'rate_card', schemas: rateCardSchemas },
  { entityType: 'impound', schemas: impoundSchemas },
  { entityType: 'message', schemas: messageSchemas },
  { entityType: 'notice', schemas: noticeSchemas },
  { entityType: 'event', schemas: eventSchemas },
  { entityType: 'webhook_delivery', schemas: webhookDeliverySchemas },
  { entityType: 'webhook_replay', schemas: webhookReplaySchemas },
  { entityType: 'export', schemas: exportSchemas },
  { entityType: 'export_schedule', schemas: exportScheduleSchemas },
  { entityType: 'settings', schemas: settingsSchemas },
  { entityType: 'webhook_endpoint', schemas: webhookEndpointSchemas },
  { entityType: 'approval', schemas: approvalSchemas },
  { entityType: 'api_key', schemas: apiKeySchemas },
  { entityType: 'agent_key', schemas: agentKeySchemas },
  { entityType: 'session', schemas: sessionSchemas },
  { entityType: 'user', schemas: userSchemas },
  { entityType: 'audit_entry', schemas: auditLogSchemas },
];

/** Schemas of responses that are not resources. */
export const envelopeSchemas = {
  ...enums,
  ...operationSchemas,
  ...dispatchBoardSchemas,
  ...customerStatementSchemas,
  ...eventTypeSchemas,
};

/**
 * All commands. The writes worker binds a handler to each; a contract test checks that none is
 * missing.
 */
export const commands: readonly CommandDefinition<never>[] = [
  ...Object.values(invoiceCommands),
  ...Object.values(workOrderCommands),
  ...Object.values(customerCommands),
  ...Object.values(paymentCommands),
  ...Object.values(claimCommands),
  ...Object.values(suggestionCommands),
  ...Object.values(truckCommands),
  ...Object.values(driverCommands),
  ...Object.values(inspectionCommands),
  ...Object.values(rateCardCommands),
  ...Object.values(impoundCommands),
  ...Object.values(messageCommands),
  ...Object.values(webhookDeliveryCommands),
  ...Object.values(webhookReplayCommands),
  ...Object.values(exportCommands),
  ...Object.values(exportScheduleCommands),
  ...Object.values(noticeCommands),
  ...Object.values(endpointHealthCommands),
  ...Object.values(webhookEndpointCommands),
  ...Object.values(settingsCommands),
  ...Object.values(approvalCommands),
  ...Object.values(apiKeyCommands),
  ...Object.values(agentKeyCommands),
  ...Object.values(sessionCommands),
  ...Object.values(userCommands),
] as unknown as CommandDefinition<never>[];

const byType = new Map(commands.map((command) => [command.type, command]));

/** @throws {Error} if this version does not define the type */
export function getCommandDefinition(type: string): CommandDefinition<never> {
  const found = byType.get(type);
  if (!found) throw new Error(`unknown command type ${type}`);
  return found;
}
