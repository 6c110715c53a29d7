import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { hashBody } from '../shared/contracts/canonical-json.js';
import type { Command } from '../shared/contracts/command.js';
import { appErrorFromBody } from '../shared/platform/errors.js';
import { newId } from '../shared/platform/ids.js';
import { currentTraceparent } from '../shared/platform/tracing.js';
import type { Submitted } from '../shared/queues/submit.js';
import { markAudited } from '../shared/resources/audit-log/audited.js';
import { mayShow, refuseForeignReplay } from '../shared/resources/operations/unread.js';
import { checkWrite } from './arguments.js';
import { audit } from './audit.js';
import { actorOf, type Caller } from './caller.js';
import { withoutInvisible } from './invisible.js';
import { toldOf } from './progress.js';
import { success } from './result.js';
import type { McpRuntime } from './runtime.js';
import { dollars, type Shown, type ToolCall, type WriteTool } from './tools/tool.js';
import type { WriteOptions } from './write-options.js';

type AnyWriteTool = WriteTool<object, object>;

/**
 * Runs a write tool. Its command takes the same path as every other write, with the same checks,
 * approval threshold, events and audit entry.
 */
export async function runWrite(
  mcp: McpRuntime,
  caller: Caller,
  { tool, call }: { tool: AnyWriteTool; call: ToolCall },
): Promise<CallToolResult> {
  const { input, options } = checkWrite(tool, caller, call);
  const command = buildCommand(caller, { tool, input, options });
  const submitted = await toldOf(call, mcp.submit(command, caller.bytes));
  return buildResult(mcp, caller, { tool, command, submitted });
}

function buildCommand(
  caller: Caller,
  { tool, input, options: { key, dryRun } }: { tool: AnyWriteTool; input: object; options: WriteOptions },
): Command {
  const { id, requestId, ip, userAgent } = caller;
  return {
    id,
    type: tool.command.type,
    tenantId: caller.key.tenantId,
    environment: caller.key.environment,
    actor: actorOf(caller),
    source: 'mcp',
    tool: tool.name,
    entityId: newId(),
    input: tool.toCommand(input),
    dryRun,
    unknownFields: [],
    idempotency: key ? { key, method: 'MCP', path: `/${tool.name}`, bodyHash: hashBody(input) } : null,
    requestId,
    traceparent: currentTraceparent(),
    ip,
    userAgent,
  };
}

async function buildResult(
  mcp: McpRuntime,
  caller: Caller,
  { tool, command, submitted }: { tool: AnyWriteTool; command: Command; submitted: Submitted },
): Promise<CallToolResult> {
  if ('accepted' in submitted) {
    return success(
      { ok: true, data: { operation_id: submitted.id, status: 'queued' } },
      'The write is stored and will run shortly. Do not send it again with another idempotency_key.',
    );
  }
  if (!submitted.ok) {
    const error = appErrorFromBody(submitted.error);
    throw submitted.unaudited ? error : markAudited(error);
  }
  const definition = tool.command;
  if (!mayShow(caller.key, definition, submitted)) refuseForeignReplay(caller.key, definition);
  const record = JSON.parse(withoutInvisible(submitted.body)) as Shown;
  if (command.dryRun) caller.answerHeaders['X-Service-Dry-Run'] = 'true';
  if (submitted.replayed) {
    caller.answerHeaders['X-Idempotency-Replay'] = 'true';
    const { action, entityType } = tool;
    const idempotencyKey = command.idempotency?.key;
    const entityId = typeof record.id === 'string' ? record.id : null;
    await audit(
      mcp,
      { ...caller, id: newId() },
      { tool: tool.name, action, entityType, entityId, idempotencyKey },
    );
  }
  return toToolResult(tool, record, { isReplay: submitted.replayed, isDryRun: command.dryRun });
}

function toToolResult(
  tool: AnyWriteTool,
  record: Shown,
  { isReplay, isDryRun }: { isReplay: boolean; isDryRun: boolean },
): CallToolResult {
  const isHeld = record.pending_approval === true;
  const data = isHeld ? record : (tool.toAnswer?.(record) ?? record);
  if (isDryRun) {
    const preview = isHeld ? previewHeldWrite(record.approval as Shown) : tool.preview(data);
    return success(
      { ok: true, dry_run: true, data, warnings: [] },
      `Dry run, nothing was stored. It would be ${preview}. The id in data is not stored: do not use it.`,
    );
  }
  const text = isHeld ? describeHeldWrite(record.approval as Shown) : tool.summary(data);
  return success(data, isReplay ? `${text} (This was done before under the same idempotency_key.)` : text);
}

function describeHeldWrite(approval: Shown): string {
  const { id, expires_at } = approval;
  return `Held for a person: ${explainHold(approval)}. Nothing has been created. Approval ${id} waits until ${expires_at}; do not try it again in parts.`;
}

function previewHeldWrite(approval: Shown): string {
  return `held for a person: ${explainHold(approval)}. No invoice would be created until a person approves; do not try it in parts`;
}

function explainHold({ amount_cents, counted_cents, held_by }: Shown): string {
  const before =
    held_by === 'agent_day_cents' ? 'all you drafted in 24 hours' : 'what you drafted for it before';
  const withEarlierDrafts =
    counted_cents === amount_cents ? '' : ` (${dollars(counted_cents)} with ${before})`;
  return `${dollars(amount_cents)}${withEarlierDrafts} reaches this company's limit for agents`;
}
