import type { CommandDefinition } from '../contracts/command.js';
import * as enums from '../contracts/enums.js';
import type { ResourceDefinition } from '../contracts/resource.js';
import { externalId, externalIdQuery, recordQuery } from '../records/expansions/external-ids.js';
import * as bookingPreviewSchemas from '../resources/books/preview-schema.js';
import * as bookReconciliationSchemas from '../resources/books/reconciliation/schema.js';
import * as customerStatementSchemas from '../resources/customers/statement-schema.js';
import * as dispatchBoardSchemas from '../resources/dispatch-board/schema.js';
import * as eventTypeSchemas from '../resources/event-types/schema.js';
import * as operationSchemas from '../resources/operations/schema.js';
import * as overviewSchemas from '../resources/overview/schema.js';
import * as modules from './modules.js';

const MODULES = Object.values(modules);

/** All resources. OpenAPI components and types are generated from this list. */
export const resources: readonly ResourceDefinition[] = MODULES.map(({ table, schemas }) => ({
  entityType: table.entityType,
  schemas,
}));

/** Schemas that belong to no resource: enums and a few responses. */
export const envelopeSchemas = {
  ...enums,
  ...operationSchemas,
  ...bookingPreviewSchemas,
  ...bookReconciliationSchemas,
  ...dispatchBoardSchemas,
  ...customerStatementSchemas,
  ...eventTypeSchemas,
  ...overviewSchemas,
  externalId,
  externalIdQuery,
  recordQuery,
};

/**
 * All commands. The writes worker binds a handler to each command. A contract test checks that
 * every command has a handler.
 */
export const commands: readonly CommandDefinition<never>[] = MODULES.flatMap((module) => module.commands);

/**
 * Names of response members that may contain text by people outside the account. Agents receive
 * such text between tags, so that they treat it as data.
 */
export const freeTextNames: ReadonlySet<string> = new Set(
  MODULES.flatMap(({ fields }) => fields.flatMap((rows) => rows.freeTextNames)),
);

const byType = new Map(commands.map((command) => [command.type, command]));

/** @throws {Error} if this version does not define the type */
export function getCommandDefinition(type: string): CommandDefinition<never> {
  const found = byType.get(type);
  if (!found) throw new Error(`unknown command type ${type}`);
  return found;
}
