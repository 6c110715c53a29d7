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
  /**
   * The description for a model that does not know tow dispatch. Its first sentence states what the
   * tool does.
   */
  description: string;
  scope: AgentScope;
  input: Joi.ObjectSchema<Input>;
  /** The schema of the record in the result, or of one item if the result is a page. */
  output: Joi.ObjectSchema;
  /** The audit log's name for this kind of record. */
  entityType: string;
  /** The action in the call's audit entry. */
  action: string;
}

export interface ListTool<Input extends { cursor?: string }> extends ToolBase<Input> {
  kind: 'list';
  buildQuery: (input: Input, scope: ListScope) => SqlQuery;
  /** Describes the page in one line, which must contain no untrusted text. */
  summarize: (items: JsonObject[]) => string;
  /**
   * Describes an item in one line. A model must be able to choose the item and continue with its
   * id. Untrusted texts must pass through `quoteText`. The caller puts the lines between tags.
   */
  describeItem: (item: JsonObject) => string;
}

export interface ReadTool<Input> extends ToolBase<Input> {
  kind: 'read';
  /**
   * Returns the id of the record that the input names. Returns null if the tool always reads the
   * same record.
   */
  getEntityId: (input: Input) => string | null;
  /** @throws {AppError} 404 */
  read: (mcp: McpRuntime, caller: Caller, input: Input) => Promise<Buffer | string>;
  summarize: (record: JsonObject) => string;
  /**
   * Describes the record in lines, under the same rules as {@link ListTool.describeItem}. If a tool
   * has no such function, the result shows the record's untrusted texts instead.
   */
  describeRecord?: (record: JsonObject) => string[];
}

export interface WriteTool<Input, CommandInput> extends ToolBase<Input> {
  kind: 'write';
  command: CommandDefinition<CommandInput>;
  toCommand: (input: Input) => CommandInput;
  /** Converts the record to the form for agents. Set only if that form differs from REST's. */
  toAgentRecord?: (record: JsonObject) => JsonObject;
  summarize: (record: JsonObject) => string;
  /**
   * Returns the end of the sentence "It would be …", for a dry run. Must not contain the record's
   * id.
   */
  describePreview: (record: JsonObject) => string;
}

/**
 * A tool of any kind. The exact type of the tool's input is not kept, because only the tool's own
 * functions need it.
 */
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

/**
 * True if the key may use the tool. A read-only key may use no write tool, even if the key has the
 * tool's scope.
 */
export function canUseTool(
  { scopes, readOnly }: Principal,
  { scope, kind }: Pick<Tool, 'scope' | 'kind'>,
): boolean {
  return scopes.includes(scope) && !(readOnly && kind === 'write');
}
