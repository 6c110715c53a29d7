import type { CommandDefinition } from '../contracts/command.js';
import * as enums from '../contracts/enums.js';
import type { ResourceDefinition } from '../contracts/resource.js';
import * as agentKeyCommands from './agent-keys/commands.js';
import * as agentKeySchemas from './agent-keys/schema.js';
import * as apiKeyCommands from './api-keys/commands.js';
import * as apiKeySchemas from './api-keys/schema.js';
import * as approvalCommands from './approvals/commands.js';
import * as approvalSchemas from './approvals/schema.js';
import * as auditLogSchemas from './audit-log/schema.js';
import * as claimCommands from './claims/commands.js';
import * as claimSchemas from './claims/schema.js';
import * as customerCommands from './customers/commands.js';
import * as customerSchemas from './customers/schema.js';
import * as customerStatementSchemas from './customers/statement-schema.js';
import * as dispatchBoardSchemas from './dispatch-board/schema.js';
import * as driverCommands from './drivers/commands.js';
import * as driverSchemas from './drivers/schema.js';
import * as eventTypeSchemas from './event-types/schema.js';
import * as eventSchemas from './events/schema.js';
import * as exportScheduleCommands from './export-schedules/commands.js';
import * as exportScheduleSchemas from './export-schedules/schema.js';
import * as exportCommands from './exports/commands.js';
import * as exportSchemas from './exports/schema.js';
import * as impoundCommands from './impounds/commands.js';
import * as impoundSchemas from './impounds/schema.js';
import * as inspectionCommands from './inspections/commands.js';
import * as inspectionSchemas from './inspections/schema.js';
import * as invoiceCommands from './invoices/commands.js';
import * as invoiceSchemas from './invoices/schema.js';
import * as messageCommands from './messages/commands.js';
import * as messageSchemas from './messages/schema.js';
import * as noticeCommands from './notices/commands.js';
import * as noticeSchemas from './notices/schema.js';
import * as operationSchemas from './operations/schema.js';
import * as paymentCommands from './payments/commands.js';
import * as paymentSchemas from './payments/schema.js';
import * as rateCardCommands from './rate-cards/commands.js';
import * as rateCardSchemas from './rate-cards/schema.js';
import * as sessionCommands from './sessions/commands.js';
import * as sessionSchemas from './sessions/schema.js';
import * as settingsCommands from './settings/commands.js';
import * as settingsSchemas from './settings/schema.js';
import * as suggestionCommands from './suggestions/commands.js';
import * as suggestionSchemas from './suggestions/schema.js';
import * as truckCommands from './trucks/commands.js';
import * as truckSchemas from './trucks/schema.js';
import * as userCommands from './users/commands.js';
import * as userSchemas from './users/schema.js';
import * as webhookDeliveryCommands from './webhook-deliveries/commands.js';
import * as webhookDeliverySchemas from './webhook-deliveries/schema.js';
import * as webhookEndpointCommands from './webhook-endpoints/commands.js';
import * as endpointHealthCommands from './webhook-endpoints/health-commands.js';
import * as webhookEndpointSchemas from './webhook-endpoints/schema.js';
import * as webhookReplayCommands from './webhook-replays/commands.js';
import * as webhookReplaySchemas from './webhook-replays/schema.js';
import * as workOrderCommands from './work-orders/commands.js';
import * as workOrderSchemas from './work-orders/schema.js';

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
