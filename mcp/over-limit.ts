import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { AppError } from '../shared/platform/errors.js';
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

function notedOf(caller: Caller, { method, params = {} }: JSONRPCRequest): Audited | undefined {
  if (method === 'tools/call' && typeof params.name === 'string') {
    return callNoted(caller, {
      name: params.name,
      args: asObject(params.arguments),
      meta: asObject(params._meta),
    });
  }
  if (method === 'resources/read' && typeof params.uri === 'string') return resourceNoted(params.uri);
  return undefined;
}

/** Nobody has checked it yet. */
function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
