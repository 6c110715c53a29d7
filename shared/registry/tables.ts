import type { Access } from '../contracts/access.js';
import type { ResourceTable } from '../records/resource-table.js';
import type { StoredJsonTable } from '../records/stored-json/triggers.js';
import * as modules from './modules.js';

/** Maps each entity type to its table. */
export const RESOURCE_TABLES: Readonly<Record<string, ResourceTable>> = Object.fromEntries(
  Object.values(modules).map(({ table }) => [table.entityType, table]),
);

/** The tables that store JSON texts beside their rows. */
export const STORED_JSON_TABLES: readonly StoredJsonTable[] = Object.values(RESOURCE_TABLES).flatMap(
  ({ table, representation, stored }) => (stored ? [{ table, representation, stored }] : []),
);

/** @throws {Error} if this version does not define the entity type */
export function getResourceTable(entityType: string): ResourceTable {
  const found = RESOURCE_TABLES[entityType];
  if (!found) throw new Error(`unknown entity type ${entityType}`);
  return found;
}

/** Returns the access that a caller needs to read records of an entity type. */
export function getReadAccess(entityType: string): Access {
  return getResourceTable(entityType).readAccess;
}

/** Returns the name of an entity type in messages for clients, for example `work order`. */
export function getResourceLabel(entityType: string): string {
  return RESOURCE_TABLES[entityType]?.label ?? entityType.replaceAll('_', ' ');
}

/**
 * Returns the path of an entity type's list without the version prefix, for example `/invoices`.
 */
export function getCollectionPath(entityType: string): string {
  return getResourceTable(entityType).collection;
}
