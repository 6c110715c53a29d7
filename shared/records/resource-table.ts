import type { Access } from '../contracts/access.js';
import type { AgentScope } from '../contracts/vocabulary.js';

/** Where the records of a resource are stored, how they are rendered, and what reading requires. */
export interface ResourceTable {
  /** For example `invoice`. */
  entityType: string;
  table: string;
  /** Path of its list without the version prefix. */
  collection: string;
  /** SQL for a record's JSON, over the row with this alias. */
  representation: (alias: string) => string;
  /** SQL condition, without alias, for the rows of the table that belong to the resource. */
  rowFilter?: string;
  /** Access required to read a record. */
  readAccess: Access;
}

/** Access that keys with the permission `read` have, and no agent. */
export const READ: Access = { permission: 'read', agentScope: null };

export const ADMIN: Access = { permission: 'admin', agentScope: null };

/** Access that keys with the permission `read` have, and agents with this scope. */
export function readScope(agentScope: AgentScope): Access {
  return { permission: 'read', agentScope };
}
