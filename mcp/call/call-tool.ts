import { type CallToolResult, ErrorCode } from '@modelcontextprotocol/sdk/types.js';

import { assertAccess } from '../../shared/contracts/access.js';
import { createValidationError } from '../../shared/contracts/schemas/validate.js';
import { toAppError } from '../../shared/http/error-response.js';
import { AppError } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { type PageQuery, readPage } from '../../shared/records/lists/list-page.js';
import { auditCall, auditRefusal, type McpAuditEntry } from '../context/audit.js';
import type { Caller } from '../context/caller.js';
import { RpcError } from '../context/errors.js';
import type { McpRuntime } from '../context/runtime.js';
import type { JsonObject } from '../text/format.js';
import { MAX_LIST_BYTES } from '../text/result-size.js';
import { stripInvisibleCharacters } from '../text/strip-invisible.js';
import { delimitUntrustedLines, delimitUntrustedText } from '../text/untrusted-text.js';
import { TOOLS } from '../tools/index.js';
import type { ListTool, ReadTool, Tool, ToolCall } from '../tools/tool.js';

import { checkArguments } from './arguments.js';
import { toErrorResult, toSuccessResult } from './result.js';
import { runWrite } from './run-write.js';
import { findIdempotencyKey } from './write-options.js';

const TOOLS_BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

/**
 * Runs a tool call: checks access and arguments, runs the tool, stores the audit entry and returns
 * the result. The result of a refused call has `isError`, and names the next step for the model.
 * @throws {RpcError} -32602 if no tool has this name, or -32603 if the audit entry of a refusal
 *   cannot be stored
 */
export async function callTool(mcp: McpRuntime, caller: Caller, call: ToolCall): Promise<CallToolResult> {
  const tool = TOOLS_BY_NAME.get(call.name);
  if (!tool) {
    const missing = new AppError(
      'not_found',
      `There is no tool ${truncateName(call.name)}. tools/list shows the available tools.`,
    );
    const error = await auditRefusal(mcp, caller, { ...buildCallAuditEntry(caller, call), error: missing });
    throw new RpcError(error === missing ? ErrorCode.InvalidParams : ErrorCode.InternalError, error.message, {
      error: { ...error.toBody(), requestId: caller.requestId },
    });
  }
  try {
    const result = await runTool(mcp, caller, { tool, call });
    return caller.isTextOnly ? addResultAsText(result) : result;
  } catch (error) {
    const known = toAppError(error);
    if (known.status >= 500)
      mcp.logger.error({ err: error, requestId: caller.requestId, tool: tool.name }, 'tool call failed');
    const entry = { ...buildCallAuditEntry(caller, call), error: known };
    return toErrorResult((await auditRefusal(mcp, caller, entry)).toBody(), caller.requestId);
  }
}

/**
 * Adds the structured result as a text, for clients whose protocol revision has no structured
 * results.
 */
function addResultAsText(result: CallToolResult): CallToolResult {
  const text = JSON.stringify(result.structuredContent);
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

/**
 * Truncates a name without splitting a surrogate pair, because PostgreSQL refuses half of a pair.
 */
function truncateName(name: string): string {
  return Array.from(name.slice(0, 128)).slice(0, 64).join('');
}

/** Builds the audit entry of a call that was refused before its command or query could run. */
export function buildCallAuditEntry(caller: Caller, call: ToolCall): McpAuditEntry {
  const tool = TOOLS_BY_NAME.get(call.name);
  if (!tool)
    return { tool: truncateName(call.name), action: 'tool.refused', entityType: null, entityId: null };
  const { name, action, entityType, kind } = tool;
  const idempotencyKey = kind === 'write' ? findIdempotencyKey(caller, call) : undefined;
  return { tool: name, action, entityType, entityId: findEntityId(tool, call), idempotencyKey };
}

/**
 * Returns the id of the record that a read tool's arguments name. Returns null for any other tool,
 * and if the id is invalid.
 */
function findEntityId(tool: Tool, { args }: ToolCall): string | null {
  const id = tool.kind === 'read' ? tool.getEntityId(args) : null;
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : null;
}

async function runTool(
  mcp: McpRuntime,
  caller: Caller,
  { tool, call }: { tool: Tool; call: ToolCall },
): Promise<CallToolResult> {
  assertAccess(caller.key, { permission: tool.kind === 'write' ? 'write' : 'read', agentScope: tool.scope });
  if (caller.argumentErrors) throw createValidationError(caller.argumentErrors);
  if (tool.kind === 'write') return runWrite(mcp, caller, { tool, call });
  const { name, action, entityType } = tool;
  const entry = { tool: name, action, entityType };
  if (tool.kind === 'list') {
    const result = await listPage(mcp, caller, {
      tool,
      input: checkArguments<{ cursor?: string }>(tool, call.args),
    });
    await auditCall(mcp, caller, { ...entry, entityId: null });
    return result;
  }
  const input = checkArguments<object>(tool, call.args);
  const result = await readOne(mcp, caller, { tool, input });
  await auditCall(mcp, caller, { ...entry, entityId: tool.getEntityId(input) });
  return result;
}

async function listPage<Input extends PageQuery>(
  mcp: McpRuntime,
  caller: Caller,
  { tool, input }: { tool: ListTool<Input>; input: Input },
): Promise<CallToolResult> {
  const page = await readPage(mcp, {
    key: caller.key,
    list: `mcp ${tool.name}`,
    query: input,
    buildQuery: tool.buildQuery,
    maxBytes: MAX_LIST_BYTES,
  });
  const items = JSON.parse(stripInvisibleCharacters(`[${page.items}]`)) as JsonObject[];
  const { cursor, count } = page;
  return toSuccessResult({ items, cursor, count }, describePage(tool, items, cursor));
}

/**
 * Maximum number of items in the text of a result. The structured result contains all items of the
 * page.
 */
const MAX_ITEMS_IN_TEXT = 20;

function describePage<Input extends { cursor?: string }>(
  { summarize, describeItem }: ListTool<Input>,
  items: JsonObject[],
  cursor: string | null,
): string {
  if (items.length === 0) return 'Nothing found.';
  const more = cursor ? `More follow: call again with cursor "${cursor}".` : 'That is all.';
  const rest = items.length > MAX_ITEMS_IN_TEXT ? [`and ${items.length - MAX_ITEMS_IN_TEXT} more`] : [];
  const lines = [...items.slice(0, MAX_ITEMS_IN_TEXT).map(describeItem), ...rest].map((text) => `- ${text}`);
  return [`${items.length} on this page: ${summarize(items)}. ${more}`, delimitUntrustedLines(lines)].join(
    '\n',
  );
}

async function readOne<Input>(
  mcp: McpRuntime,
  caller: Caller,
  { tool, input }: { tool: ReadTool<Input>; input: Input },
): Promise<CallToolResult> {
  const body = await tool.read(mcp, caller, input);
  const record = JSON.parse(stripInvisibleCharacters(body.toString())) as JsonObject;
  const texts = tool.describeRecord
    ? delimitUntrustedLines(tool.describeRecord(record))
    : delimitUntrustedText(record);
  return toSuccessResult(record, tool.summarize(record), texts);
}
