import type { Access } from '../contracts/access.js';
import type { AgentScope } from '../contracts/vocabulary.js';
import type { StoredJson } from './stored-json/stored-json.js';

export interface ResourceTable {
  /** For example `invoice`. */
  entityType: string;
  /**
   * The name of a record in error messages for clients. By default, it is the entity type with
   * spaces.
   */
  label?: string;
  table: string;
  /** Path of the list without the version prefix. */
  collection: string;
  /** Returns the SQL for a record's JSON. The SQL reads the row with this alias. */
  representation: (alias: string) => string;
  /** Present if the table stores the JSON text of each record beside its row. */
  stored?: StoredJson;
  /**
   * SQL condition for the rows of the table that belong to the resource. It begins with a column
   * name, without an alias.
   */
  rowFilter?: string;
  readAccess: Access;
}

/** The access of keys with the permission `read`. No agent has this access. */
export const READ: Access = { permission: 'read', agentScope: null };

/** The access of signed-in people to their own records. No key has this access. */
export const PERSON_READ: Access = { ...READ, isPersonOnly: true };

export const ADMIN: Access = { permission: 'admin', agentScope: null };

/** Returns the access for keys with the permission `read`, and for agents with this scope. */
export function readScope(agentScope: AgentScope): Access {
  return { permission: 'read', agentScope };
}
