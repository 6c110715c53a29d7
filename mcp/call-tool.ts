import { type CallToolResult, ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { assertAccess } from '../shared/contracts/access.js';
import { validationError } from '../shared/contracts/validate.js';
import { AppError } from '../shared/platform/errors.js';
import { isUuid } from '../shared/platform/ids.js';
import { type PageQuery, readPage } from '../shared/resources/list-page.js';
import { checkArguments } from './arguments.js';
import { type Audited, audit, auditRefusal } from './audit.js';
import type { Caller } from './caller.js';
import { fenced, fencedLines } from './fence.js';
import { withoutInvisible } from './invisible.js';
import { failure, success, toAppError } from './result.js';
import { MAX_LIST_BYTES } from './room.js';
import { RpcError } from './rpc-error.js';
import { runWrite } from './run-write.js';
import type { McpRuntime } from './runtime.js';
import { TOOLS } from './tools/index.js';
import type { ListTool, ReadTool, Shown, Tool, ToolCall } from './tools/tool.js';
import { claimedKey } from './write-options.js';

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

/**
 * Runs one tool call: rights, input, work, audit entry, answer. What is refused is an answer with isError that says what to do next; only a tool
 * that does not exist is an error of the protocol.
 */
export async function callTool(mcp: McpRuntime, caller: Caller, call: ToolCall): Promise<CallToolResult> {
  const tool = BY_NAME.get(call.name);
  if (!tool) {
    const missing = new AppError(
      'not_found',
      `There is no tool ${cut(call.name)}. tools/list shows those there are.`,
    );
    const error = await auditRefusal(mcp, caller, { ...callNoted(caller, call), error: missing });
    throw new RpcError(error === missing ? ErrorCode.InvalidParams : ErrorCode.InternalError, error.message, {
      error: { ...error.toBody(), requestId: caller.requestId },
    });
  }
  try {
    const result = await runTool(mcp, caller, { tool, call });
    return caller.textOnly ? inText(result) : result;
  } catch (error) {
    const known = toAppError(error);
    if (known.status >= 500)
      mcp.logger.error({ err: error, requestId: caller.requestId, tool: tool.name }, 'tool call failed');
    const what = { ...callNoted(caller, call), error: known };
    return failure((await auditRefusal(mcp, caller, what)).toBody(), caller.requestId);
  }
}

/** For clients of a protocol that had no structured results: the whole answer as text beside the short one. */
function inText(result: CallToolResult): CallToolResult {
  const text = JSON.stringify(result.structuredContent);
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

/** The beginning of a name that nobody knows, in whole characters: the database takes no half ones. */
function cut(name: string): string {
  return Array.from(name.slice(0, 128)).slice(0, 64).join('');
}

/** What the audit log says of a call that did not come to its work: whatever is known of it. */
export function callNoted(caller: Caller, call: ToolCall): Audited {
  const tool = BY_NAME.get(call.name);
  if (!tool) return { tool: cut(call.name), action: 'tool.refused', entityType: null, entityId: null };
  const { name, action, entityType, kind } = tool;
  const idempotencyKey = kind === 'write' ? claimedKey(caller, call) : undefined;
  return { tool: name, action, entityType, entityId: entityOf(tool, call), idempotencyKey };
}

/** The record that a refused read was about, when the call names one. */
function entityOf(tool: Tool, { args }: ToolCall): string | null {
  const id = tool.kind === 'read' ? tool.entityId(args) : null;
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : null;
}

async function runTool(
  mcp: McpRuntime,
  caller: Caller,
  { tool, call }: { tool: Tool; call: ToolCall },
): Promise<CallToolResult> {
  assertAccess(caller.key, { permission: tool.kind === 'write' ? 'write' : 'read', agentScope: tool.scope });
  if (caller.argumentFaults) throw validationError(caller.argumentFaults);
  if (tool.kind === 'write') return runWrite(mcp, caller, { tool, call });
  const { name, action, entityType } = tool;
  const noted = { tool: name, action, entityType };
  if (tool.kind === 'list') {
    const answer = await listPage(mcp, caller, {
      tool,
      input: checkArguments<{ cursor?: string }>(tool, call.args),
    });
    await audit(mcp, caller, { ...noted, entityId: null });
    return answer;
  }
  const input = checkArguments<object>(tool, call.args);
  const answer = await readOne(mcp, caller, { tool, input });
  await audit(mcp, caller, { ...noted, entityId: tool.entityId(input) });
  return answer;
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
    statement: tool.statement,
    maxBytes: MAX_LIST_BYTES,
  });
  const items = JSON.parse(withoutInvisible(`[${page.items}]`)) as Shown[];
  const { cursor, count } = page;
  return success({ items, cursor, count }, pageText(tool, items, cursor));
}

/** Items that are named in the text; all of them are in the structured result. */
const NAMED_ITEMS = 20;

function pageText<Input extends { cursor?: string }>(
  { summary, line }: ListTool<Input>,
  items: Shown[],
  cursor: string | null,
): string {
  if (items.length === 0) return 'Nothing found.';
  const more = cursor ? `More follow: call again with cursor "${cursor}".` : 'That is all.';
  const rest = items.length > NAMED_ITEMS ? [`and ${items.length - NAMED_ITEMS} more`] : [];
  const lines = [...items.slice(0, NAMED_ITEMS).map(line), ...rest].map((text) => `- ${text}`);
  return [`${items.length} on this page: ${summary(items)}. ${more}`, fencedLines(lines)].join('\n');
}

async function readOne<Input>(
  mcp: McpRuntime,
  caller: Caller,
  { tool, input }: { tool: ReadTool<Input>; input: Input },
): Promise<CallToolResult> {
  const body = await tool.read(mcp, caller, input);
  const record = JSON.parse(withoutInvisible(body.toString())) as Shown;
  const texts = tool.lines ? fencedLines(tool.lines(record)) : fenced(record);
  return success(record, tool.summary(record), texts);
}
