import {
  ErrorCode,
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '../shared/platform/errors.js';
import { type Audited, auditRefusal } from './audit.js';
import { callNoted } from './call-tool.js';
import type { Caller } from './caller.js';
import { resourceNoted } from './resources.js';
import type { McpRuntime } from './runtime.js';

/** Writes down a call or read that is over a limit; other messages leave no entry. Resolves with the error to answer: 503 when it cannot be written down. */
export async function auditOverLimit(
  mcp: McpRuntime,
  caller: Caller,
  { request, error }: { request: JSONRPCRequest | undefined; error: AppError },
): Promise<AppError> {
  const noted = request && notedOf(caller, request);
  return noted ? auditRefusal(mcp, caller, { ...noted, error }) : error;
}

/** What an SDK answers to params that do not fit, and when it fails itself. */
const UNHANDLED: readonly number[] = [ErrorCode.InvalidParams, ErrorCode.InternalError];

/**
 * A call or read that an SDK refused before any of ours saw it stands in the log too. What ours refused carries its error in `data`; all other answers stay as
 * they are.
 */
export async function auditMalformed(
  mcp: McpRuntime,
  caller: Caller,
  { request, answer }: { request: JSONRPCRequest; answer: JSONRPCMessage },
): Promise<JSONRPCMessage> {
  if (!isJSONRPCErrorResponse(answer)) return answer;
  const { code, message, data } = answer.error;
  const noted = notedOf(caller, request);
  if (!noted || !UNHANDLED.includes(code) || Object(data).error !== undefined) return answer;
  const refusal = new AppError(
    code === ErrorCode.InvalidParams ? 'validation_error' : 'internal_error',
    message,
  );
  const error = await auditRefusal(mcp, caller, { ...noted, error: refusal });
  const told = { ...Object(data), error: { ...error.toBody(), requestId: caller.requestId } };
  return {
    ...answer,
    error: { code: error === refusal ? code : ErrorCode.InternalError, message: error.message, data: told },
  };
}

function notedOf(caller: Caller, { method, params = {} }: JSONRPCRequest): Audited | undefined {
  if (method === 'tools/call') {
    const { name, arguments: args, _meta: meta } = params;
    if (typeof name === 'string')
      return callNoted(caller, { name, args: asObject(args), meta: asObject(meta) });
    return { tool: null, action: 'tool.refused', entityType: null, entityId: null };
  }
  if (method === 'resources/read') return resourceNoted(typeof params.uri === 'string' ? params.uri : '');
  return undefined;
}

/** Nobody has checked it yet. */
function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
