import { type CallToolResult, ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { assertAccess } from '../shared/contracts/access.js';
import { AppError } from '../shared/platform/errors.js';
import { newId } from '../shared/platform/ids.js';
import { readPage } from '../shared/resources/list-page.js';
import { checkArguments } from './arguments.js';
import { audit, isAudited } from './audit.js';
import type { Caller } from './caller.js';
import { fenced } from './fence.js';
import { withoutInvisible } from './invisible.js';
import { failure, success, toAppError } from './result.js';
import { RpcError } from './rpc-error.js';
import { runWrite } from './run-write.js';
import type { McpRuntime } from './runtime.js';
import { TOOLS } from './tools/index.js';
import type { ListTool, ReadTool, Shown, Tool, ToolCall } from './tools/tool.js';

const BY_NAME = new Map(TOOLS.map((tool) => [tool.name, tool]));

/**
 * Runs one tool call: rights, input, work, audit entry, answer. What is refused is an answer with isError that says what to do next; only a tool
 * that does not exist is an error of the protocol.
 */
export async function callTool(mcp: McpRuntime, caller: Caller, call: ToolCall): Promise<CallToolResult> {
  const tool = BY_NAME.get(call.name);
  if (!tool) {
    const name = call.name.slice(0, 64);
    await audit(mcp, caller, { ...UNKNOWN, tool: name, error: unknownTool(name) });
    throw new RpcError(
      ErrorCode.InvalidParams,
      `There is no tool ${name}. tools/list shows those there are.`,
    );
  }
  try {
    const result = await runTool(mcp, caller, { tool, call });
    return caller.textOnly ? inText(result) : result;
  } catch (error) {
    const known = toAppError(error);
    if (known.status >= 500)
      mcp.logger.error({ err: error, requestId: caller.requestId, tool: tool.name }, 'tool call failed');
    return failure(await audited(mcp, caller, tool, known), caller.requestId);
  }
}

/** For clients of a protocol that had no structured results: the whole answer as text beside the short one. */
function inText(result: CallToolResult): CallToolResult {
  const text = JSON.stringify(result.structuredContent);
  return { ...result, content: [...result.content, { type: 'text', text }] };
}

const UNKNOWN = { action: 'tool.refused', entityType: null, entityId: null } as const;

function unknownTool(name: string): AppError {
  return new AppError('not_found', `There is no tool ${name}.`);
}

/** Writes a refusal down; when that cannot be done, it is the store that is told of. Under an id of its own: the command may still run under the call's. */
async function audited(mcp: McpRuntime, caller: Caller, { name, action, entityType }: Tool, error: AppError) {
  if (isAudited(error)) return error.toBody();
  try {
    await audit(mcp, { ...caller, id: newId() }, { tool: name, action, entityType, entityId: null, error });
    return error.toBody();
  } catch (unaudited) {
    return toAppError(unaudited).toBody();
  }
}

async function runTool(
  mcp: McpRuntime,
  caller: Caller,
  { tool, call }: { tool: Tool; call: ToolCall },
): Promise<CallToolResult> {
  assertAccess(caller.key, { permission: tool.kind === 'write' ? 'write' : 'read', agentScope: tool.scope });
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

async function listPage<Input extends { cursor?: string }>(
  mcp: McpRuntime,
  caller: Caller,
  { tool, input }: { tool: ListTool<Input>; input: Input },
): Promise<CallToolResult> {
  const page = await readPage(mcp, {
    key: caller.key,
    list: `mcp ${tool.name}`,
    query: input,
    statement: tool.statement,
  });
  const items = JSON.parse(withoutInvisible(`[${page.items}]`)) as Shown[];
  const { cursor, count } = page;
  return success({ items, cursor, count }, pageText(tool, items, cursor));
}

/** Items that are named in the text; all of them are in the structured result. */
const NAMED_ITEMS = 25;

function pageText<Input extends { cursor?: string }>(
  { summary, line }: ListTool<Input>,
  items: Shown[],
  cursor: string | null,
): string {
  if (items.length === 0) return 'Nothing found.';
  const more = cursor ? `More follow: call again with cursor "${cursor}".` : 'That is all.';
  const rest = items.length > NAMED_ITEMS ? [`and ${items.length - NAMED_ITEMS} more`] : [];
  const lines = [...items.slice(0, NAMED_ITEMS).map(line), ...rest].map((text) => `- ${text}`);
  return [`${items.length} on this page: ${summary(items)}. ${more}`, ...lines].join('\n');
}

async function readOne<Input>(
  mcp: McpRuntime,
  caller: Caller,
  { tool, input }: { tool: ReadTool<Input>; input: Input },
): Promise<CallToolResult> {
  const body = await tool.read(mcp, caller, input);
  const record = JSON.parse(withoutInvisible(body.toString())) as Shown;
  return success(record, tool.summary(record), fenced(record));
}
