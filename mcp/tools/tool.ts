import type Joi from 'joi';
import type { CommandDefinition } from '../../shared/contracts/command.js';
import type { Principal } from '../../shared/contracts/principal.js';
import type { AgentScope } from '../../shared/contracts/vocabulary.js';
import type { SqlQuery } from '../../shared/platform/postgres/database.js';
import type { ListScope } from '../../shared/records/lists/keyset-list.js';
import type { Caller } from '../context/caller.js';
import type { McpRuntime } from '../context/runtime.js';
import type { JsonObject } from '../text/format.js';

export interface ToolCall {
  name: string;
  args: Record<string, unknown>;
  meta: Record<string, unknown>;
}

interface ToolBase<Input> {
  name: string;
  title: string;
  /** For a model that does not know tow dispatch. The first sentence says what the tool does. */
  description: string;
  scope: AgentScope;
  input: Joi.ObjectSchema<Input>;
  /** Schema of the record, or of a page's item, in the result. */
  output: Joi.ObjectSchema;
  /** The audit log's name for this kind of record. */
  entityType: string;
  /** Action of the call's audit entry. */
  action: string;
}

export interface ListTool<Input extends { cursor?: string }> extends ToolBase<Input> {
  kind: 'list';
  buildQuery: (input: Input, scope: ListScope) => SqlQuery;
  /** Describes the page in one line, which must hold no untrusted text. */
  summarize: (items: JsonObject[]) => string;
  /**
   * Describes an item in one line: enough to choose the item and continue with its id. Untrusted
   * texts must pass through `quoteText`; the caller puts the lines between tags.
   */
  describeItem: (item: JsonObject) => string;
}

export interface ReadTool<Input> extends ToolBase<Input> {
  kind: 'read';
  /** Null if the tool always reads the same record. */
  getEntityId: (input: Input) => string | null;
  /** @throws {AppError} 404 */
  read: (mcp: McpRuntime, caller: Caller, input: Input) => Promise<Buffer | string>;
  summarize: (record: JsonObject) => string;
  /**
   * Describes the record in lines, as `describeItem` does for a list.
   * Default: the record's untrusted texts.
   */
  describeRecord?: (record: JsonObject) => string[];
}

export interface WriteTool<Input, CommandInput> extends ToolBase<Input> {
  kind: 'write';
  command: CommandDefinition<CommandInput>;
  toCommand: (input: Input) => CommandInput;
  /** For a record that agents see differently from REST. */
  toAgentRecord?: (record: JsonObject) => JsonObject;
  summarize: (record: JsonObject) => string;
  /** Completes the sentence "It would be …" after a dry run. Contains no id of the record. */
  describePreview: (record: JsonObject) => string;
}

/** Only the tool itself uses the exact type of its input. */
export type Tool = ListTool<{ cursor?: string }> | ReadTool<object> | WriteTool<object, object>;

export function defineListTool<Input extends { cursor?: string }>(tool: Omit<ListTool<Input>, 'kind'>): Tool {
  return Object.freeze({ kind: 'list' as const, ...tool }) as unknown as Tool;
}

export function defineReadTool<Input>(tool: Omit<ReadTool<Input>, 'kind'>): Tool {
  return Object.freeze({ kind: 'read' as const, ...tool }) as unknown as Tool;
}

export function defineWriteTool<Input, CommandInput>(
  tool: Omit<WriteTool<Input, CommandInput>, 'kind'>,
): Tool {
  return Object.freeze({ kind: 'write' as const, ...tool }) as unknown as Tool;
}

/** A read-only key may use no write tool, even if its scopes include the tool's scope. */
export function canUseTool(
  { scopes, readOnly }: Principal,
  { scope, kind }: Pick<Tool, 'scope' | 'kind'>,
): boolean {
  return scopes.includes(scope) && !(readOnly && kind === 'write');
}
