import type { CommandDefinition } from '../contracts/command.js';
import { defineResource, type ResourceDefinition } from '../contracts/resource.js';
import * as apiKeyCommands from './api-keys/commands.js';
import { apiKeyRepresentation } from './api-keys/representation.js';
import * as apiKeySchemas from './api-keys/schema.js';
import * as customerCommands from './customers/commands.js';
import { customerRepresentation } from './customers/representation.js';
import * as customerSchemas from './customers/schema.js';
import * as invoiceCommands from './invoices/commands.js';
import { invoiceRepresentation } from './invoices/representation.js';
import * as invoiceSchemas from './invoices/schema.js';
import * as operationSchemas from './operations/schema.js';
import * as workOrderCommands from './work-orders/commands.js';
import { workOrderRepresentation } from './work-orders/representation.js';
import * as workOrderSchemas from './work-orders/schema.js';

/** Every resource, one line each. OpenAPI components, types and look-ups by entity type follow from this list. */
export const resources: readonly ResourceDefinition[] = [
  { entityType: 'invoice', table: 'invoices', schemas: invoiceSchemas, representation: invoiceRepresentation },
  {
    entityType: 'work_order',
    table: 'work_orders',
    schemas: workOrderSchemas,
    representation: workOrderRepresentation,
  },
  { entityType: 'customer', table: 'customers', schemas: customerSchemas, representation: customerRepresentation },
  { entityType: 'api_key', table: 'api_keys', schemas: apiKeySchemas, representation: apiKeyRepresentation },
].map(defineResource);

/** Schemas of answers that are no resource. */
export const envelopeSchemas = operationSchemas;

/** Every command. The writes worker binds a handler to each; a contract test checks that none is missing. */
export const commands: readonly CommandDefinition<never>[] = [
  ...Object.values(invoiceCommands),
  ...Object.values(workOrderCommands),
  ...Object.values(customerCommands),
  ...Object.values(apiKeyCommands),
] as unknown as CommandDefinition<never>[];

const byType = new Map(commands.map((command) => [command.type, command]));
const byEntity = new Map(resources.map((resource) => [resource.entityType, resource]));

/** @throws {Error} for a type that no code of this version knows. */
export function commandOfType(type: string): CommandDefinition<never> {
  const found = byType.get(type);
  if (!found) throw new Error(`unknown command type ${type}`);
  return found;
}

export function resourceOfEntity(entityType: string): ResourceDefinition {
  const found = byEntity.get(entityType);
  if (!found) throw new Error(`unknown entity type ${entityType}`);
  return found;
}
