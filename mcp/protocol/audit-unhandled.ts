import {
  ErrorCode,
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '../../shared/platform/errors.js';
import { buildCallAuditEntry } from '../call/call-tool.js';
import { auditRefusal, type McpAuditEntry } from '../context/audit.js';
import type { Caller } from '../context/caller.js';
import type { McpRuntime } from '../context/runtime.js';
import { buildResourceAuditEntry } from '../resources/resources.js';

/**
 * Stores an audit entry for a tool call or resource read that exceeds a limit. Other MCP messages
 * get no entry.
 * @returns the error for the client: `error`, or a 503 if the entry cannot be stored
 */
export async function auditExceededLimit(
  mcp: McpRuntime,
  caller: Caller,
  { request, error }: { request: JSONRPCRequest | undefined; error: AppError },
): Promise<AppError> {
  const entry = request && buildAuditEntry(caller, request);
  return entry ? auditRefusal(mcp, caller, { ...entry, error }) : error;
}

/** The codes that the SDKs send for invalid params and for their own failures. */
const SDK_ERROR_CODES: readonly number[] = [ErrorCode.InvalidParams, ErrorCode.InternalError];

/**
 * Checks whether an SDK refused a tool call or resource read before a handler ran. If so, stores an
 * audit entry and adds the error to the response's `data`. Returns any other response unchanged. If
 * a handler has failed, its response already has `data.error` and an audit entry.
 */
export async function auditSdkRefusal(
  mcp: McpRuntime,
  caller: Caller,
  { request, response }: { request: JSONRPCRequest; response: JSONRPCMessage },
): Promise<JSONRPCMessage> {
  if (!isJSONRPCErrorResponse(response)) return response;
  const { code, message, data } = response.error;
  const entry = buildAuditEntry(caller, request);
  if (!entry || !SDK_ERROR_CODES.includes(code) || Object(data).error !== undefined) return response;
  const refusal = new AppError(
    code === ErrorCode.InvalidParams ? 'validation_error' : 'internal_error',
    message,
  );
  const error = await auditRefusal(mcp, caller, { ...entry, error: refusal });
  const errorData = { ...Object(data), error: { ...error.toBody(), requestId: caller.requestId } };
  return {
    ...response,
    error: {
      code: error === refusal ? code : ErrorCode.InternalError,
      message: error.message,
      data: errorData,
    },
  };
}

function buildAuditEntry(caller: Caller, { method, params = {} }: JSONRPCRequest): McpAuditEntry | undefined {
  if (method === 'tools/call') {
    const { name, arguments: args, _meta: meta } = params;
    if (typeof name === 'string')
      return buildCallAuditEntry(caller, { name, args: toObject(args), meta: toObject(meta) });
    return { tool: null, action: 'tool.refused', entityType: null, entityId: null };
  }
  if (method === 'resources/read')
    return buildResourceAuditEntry(typeof params.uri === 'string' ? params.uri : '');
  return undefined;
}

/**
 * Returns the value if it is an object, otherwise an empty object. The SDK has not validated the
 * params of a refused request, so they may have any type.
 */
function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
