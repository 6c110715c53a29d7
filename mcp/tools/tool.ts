import type Joi from 'joi';
import type { CommandDefinition } from '../../shared/contracts/command.js';
import type { AgentScope } from '../../shared/contracts/vocabulary.js';
import type { Statement } from '../../shared/platform/postgres.js';
import type { ListScope } from '../../shared/resources/keyset-list.js';
import type { Caller } from '../caller.js';
import type { Aside } from '../line.js';
import type { McpRuntime } from '../runtime.js';

/** JSON as an object: a record, or a page of records. */
export type Shown = Record<string, unknown>;

/** A call as it came in. */
export interface ToolCall {
  name: string;
  args: Record<string, unknown>;
  meta: Record<string, unknown>;
  /** Absent: the answer is all that can be said. */
  aside?: Aside;
}

interface ToolBase<Input> {
  name: string;
  title: string;
  /** For a model that has never seen tow dispatch; the first sentence says what it does. */
  description: string;
  scope: AgentScope;
  input: Joi.ObjectSchema<Input>;
  /** The record, or a page's item, that it answers with. */
  output: Joi.ObjectSchema;
  /** Kind of record, as the audit log names it. */
  entityType: string;
  /** Of the call's audit entry. */
  action: string;
}

/** A page of a keyset list. */
export interface ListTool<Input extends { cursor?: string }> extends ToolBase<Input> {
  kind: 'list';
  statement: (input: Input, scope: ListScope) => Statement;
  /** One line about the page, of our own words and numbers alone. */
  summary: (items: Shown[]) => string;
  /**
   * One item on one line: enough to choose it and go on with its id. Texts of others are `quoted`;
   * the lines stand between marks.
   */
  line: (item: Shown) => string;
}

/** One record. */
export interface ReadTool<Input> extends ToolBase<Input> {
  kind: 'read';
  /** The record asked for; null when the tool has but one answer. */
  entityId: (input: Input) => string | null;
  /** @throws {AppError} 404 */
  read: (mcp: McpRuntime, caller: Caller, input: Input) => Promise<Buffer | string>;
  summary: (record: Shown) => string;
  /** What the text says of the record, as `line` of a list. Default: the texts of others in it. */
  lines?: (record: Shown) => string[];
}

/** A command. */
export interface WriteTool<Input, CommandInput> extends ToolBase<Input> {
  kind: 'write';
  command: CommandDefinition<CommandInput>;
  toCommand: (input: Input) => CommandInput;
  /** The record as agents see it, where they see it otherwise than REST. */
  toAnswer?: (record: Shown) => Shown;
  summary: (record: Shown) => string;
  /**
   * What a dry run would make, after "It would be". It names no id that the dry run did not store.
   */
  preview: (record: Shown) => string;
}

/** A tool of the registry, whose input nobody but itself knows more of. */
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

/** Dollars as people read them; a sum is never calculated from this text. */
export function dollars(cents: unknown): string {
  return typeof cents === 'number' ? `$${(cents / 100).toFixed(2)}` : '$?';
}

/** "2 draft, 1 paid": how many of each. */
export function countBy(items: Shown[], member: string): string {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(String(item[member]), (counts.get(String(item[member])) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${count} ${value}`).join(', ');
}
