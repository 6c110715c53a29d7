import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Command } from '../../shared/contracts/command.js';
import { hashBody } from '../../shared/contracts/json/canonical-json.js';
import { canShowRecord, refuseForeignReplay } from '../../shared/operations/response-visibility.js';
import { appErrorFromBody } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import { currentTraceparent } from '../../shared/platform/tracing.js';
import type { Submitted } from '../../shared/queues/submit.js';
import { markAudited } from '../../shared/resources/audit-log/audited.js';
import { auditCall } from '../context/audit.js';
import { type Caller, getActor } from '../context/caller.js';
import type { McpRuntime } from '../context/runtime.js';
import { formatUsd, type JsonObject } from '../text/format.js';
import { stripInvisibleCharacters } from '../text/strip-invisible.js';
import type { ToolCall, WriteTool } from '../tools/tool.js';

import { checkWriteArguments } from './arguments.js';
import { reportProgress } from './progress.js';
import { toSuccessResult } from './result.js';
import type { WriteOptions } from './write-options.js';

type AnyWriteTool = WriteTool<object, object>;

/**
 * Runs a write tool by submitting its command. The worker checks and audits this command like a
 * command from REST.
 */
export async function runWrite(
  mcp: McpRuntime,
  caller: Caller,
  { tool, call }: { tool: AnyWriteTool; call: ToolCall },
): Promise<CallToolResult> {
  const { input, options } = checkWriteArguments(tool, caller, call);
  const command = buildCommand(caller, { tool, input, options });
  const submitted = await reportProgress(caller, call, mcp.submit(command, caller.bytes));
  return buildResult(mcp, caller, { tool, command, submitted });
}

function buildCommand(
  caller: Caller,
  {
    tool,
    input,
    options: { idempotencyKey, dryRun },
  }: { tool: AnyWriteTool; input: object; options: WriteOptions },
): Command {
  const { id, requestId, ip, userAgent } = caller;
  return {
    id,
    type: tool.command.type,
    tenantId: caller.key.tenantId,
    environment: caller.key.environment,
    actor: getActor(caller),
    source: 'mcp',
    tool: tool.name,
    entityId: newId(),
    input: tool.toCommand(input),
    dryRun,
    unknownFields: [],
    idempotency: idempotencyKey
      ? { key: idempotencyKey, method: 'MCP', path: `/${tool.name}`, bodyHash: hashBody(input) }
      : null,
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
    return toSuccessResult(
      { ok: true, data: { operation_id: submitted.id, status: 'queued' } },
      'The write is stored and will run shortly. Do not send it again with another idempotency_key.',
    );
  }
  if (!submitted.ok) {
    const error = appErrorFromBody(submitted.error);
    throw submitted.unaudited ? error : markAudited(error);
  }
  const definition = tool.command;
  if (!canShowRecord(caller.key, definition, submitted)) refuseForeignReplay(caller.key, definition);
  const record = JSON.parse(stripInvisibleCharacters(submitted.body)) as JsonObject;
  if (command.dryRun) caller.responseHeaders['X-Service-Dry-Run'] = 'true';
  if (submitted.replayed) {
    caller.responseHeaders['X-Idempotency-Replay'] = 'true';
    const { action, entityType } = tool;
    const idempotencyKey = command.idempotency?.key;
    const entityId = typeof record.id === 'string' ? record.id : null;
    await auditCall(
      mcp,
      { ...caller, id: newId() },
      { tool: tool.name, action, entityType, entityId, idempotencyKey },
    );
  }
  return toToolResult(tool, record, { isReplay: submitted.replayed, isDryRun: command.dryRun });
}

function toToolResult(
  tool: AnyWriteTool,
  record: JsonObject,
  { isReplay, isDryRun }: { isReplay: boolean; isDryRun: boolean },
): CallToolResult {
  const isHeld = record.pending_approval === true;
  const data = isHeld ? record : (tool.toAgentRecord?.(record) ?? record);
  if (isDryRun) {
    const preview = isHeld ? previewHeldWrite(record.approval as JsonObject) : tool.describePreview(data);
    return toSuccessResult(
      { ok: true, dry_run: true, data, warnings: [] },
      `Dry run, nothing was stored. It would be ${preview}. The id in data is not stored: do not use it.`,
    );
  }
  const text = isHeld ? describeHeldWrite(record.approval as JsonObject) : tool.summarize(data);
  return toSuccessResult(
    data,
    isReplay ? `${text} (This was done before under the same idempotency_key.)` : text,
  );
}

function describeHeldWrite(approval: JsonObject): string {
  const { id, expires_at } = approval;
  return `Held for a person: ${explainHold(approval)}. Nothing has been created. Approval ${id} waits until ${expires_at}; do not try it again in parts.`;
}

function previewHeldWrite(approval: JsonObject): string {
  return `held for a person: ${explainHold(approval)}. No invoice would be created until a person approves; do not try it in parts`;
}

function explainHold({ amount_cents, counted_cents, held_by }: JsonObject): string {
  const before =
    held_by === 'agent_day_cents' ? 'all you drafted in 24 hours' : 'what you drafted for it before';
  const withEarlierDrafts =
    counted_cents === amount_cents ? '' : ` (${formatUsd(counted_cents)} with ${before})`;
  return `${formatUsd(amount_cents)}${withEarlierDrafts} reaches this company's limit for agents`;
}
