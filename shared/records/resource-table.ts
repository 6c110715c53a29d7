import type { Access } from '../contracts/access.js';
import type { AgentScope } from '../contracts/vocabulary.js';

export interface ResourceTable {
  /** For example `invoice`. */
  entityType: string;
  /** Name of a record in messages for clients, unless it is the entity type with spaces. */
  label?: string;
  table: string;
  /** Path of the list without the version prefix. */
  collection: string;
  /** SQL for a record's JSON, over the row with this alias. */
  representation: (alias: string) => string;
  /** SQL condition, without alias, for the rows of the table that belong to the resource. */
  rowFilter?: string;
  readAccess: Access;
}

/** Keys with the permission `read` have this access, and no agent has it. */
export const READ: Access = { permission: 'read', agentScope: null };

export const ADMIN: Access = { permission: 'admin', agentScope: null };

/** Keys with the permission `read` have this access, and agents with the scope. */
export function readScope(agentScope: AgentScope): Access {
  return { permission: 'read', agentScope };
}
