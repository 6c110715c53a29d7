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

const SHAPES: Record<string, string> = {
  'tools/call': 'params of tools/call are name, a string, and arguments, an object; no task is taken.',
  'resources/read': 'params of resources/read are uri, a string.',
};

/**
 * A call or read that the SDK refused before any of ours saw it stands in the log too, and gets an answer that says what is wrong. What ours refused carries
 * its error in `data`; all other answers stay as they are.
 */
export async function auditMalformed(
  mcp: McpRuntime,
  caller: Caller,
  { request, answer }: { request: JSONRPCRequest; answer: JSONRPCMessage },
): Promise<JSONRPCMessage> {
  const noted = notedOf(caller, request);
  if (!noted || !isJSONRPCErrorResponse(answer) || answer.error.data !== undefined) return answer;
  const refusal = new AppError('validation_error', SHAPES[request.method] as string);
  const error = await auditRefusal(mcp, caller, { ...noted, error: refusal });
  const code = error === refusal ? ErrorCode.InvalidParams : ErrorCode.InternalError;
  const data = { error: { ...error.toBody(), requestId: caller.requestId } };
  return { ...answer, error: { code, message: error.message, data } };
}

function notedOf(caller: Caller, { method, params = {} }: JSONRPCRequest): Audited | undefined {
  if (method === 'tools/call') {
    const { name, arguments: args, _meta: meta } = params;
    if (typeof name === 'string')
      return callNoted(caller, { name, args: asObject(args), meta: asObject(meta) });
    return { tool: null, action: 'tool.refused', entityType: null, entityId: null };
  }
  if (method === 'resources/read') return resourceNoted(String(params.uri));
  return undefined;
}

/** Nobody has checked it yet. */
function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
