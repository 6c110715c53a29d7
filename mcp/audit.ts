import type { AppError } from '../shared/platform/errors.js';
import { newId } from '../shared/platform/ids.js';
import { isAudited } from '../shared/resources/audit-log/audited.js';
import { actorOf, type Caller } from './caller.js';
import { toAppError } from './result.js';
import type { McpRuntime } from './runtime.js';

export interface Audited {
  /** Null: no tool, but a resource. */
  tool: string | null;
  action: string;
  entityType: string | null;
  entityId: string | null;
  /** What it was refused with. */
  error?: AppError;
  /** Of a write whose answer had been kept. */
  idempotencyKey?: string | undefined;
}

/** Writes a call down before it is answered (decisions 6, Audit of agents). @throws {AppError} 503: what is not written down is not answered */
export function audit(
  mcp: McpRuntime,
  caller: Caller,
  { error, idempotencyKey, ...what }: Audited,
): Promise<void> {
  const { key, id, requestId, ip, userAgent } = caller;
  return mcp.audit.record({
    tenantId: key.tenantId,
    id,
    actor: actorOf(caller),
    ...what,
    outcome: error ? outcomeOf(error) : 'ok',
    source: 'mcp',
    changes: null,
    error: error?.toBody() ?? null,
    responseStatus: error?.status ?? 200,
    requestId,
    idempotencyKey: idempotencyKey ?? null,
    ip,
    userAgent,
  });
}

function outcomeOf({ status }: AppError): 'denied' | 'failed' {
  return status === 401 || status === 403 || status === 429 ? 'denied' : 'failed';
}

/**
 * Writes a refusal down, unless a worker has done so with its command. Under an id of its own: the command may still run under the call's. Resolves with the
 * error to answer: the refusal itself, or that of the store when it cannot be written down.
 */
export async function auditRefusal(
  mcp: McpRuntime,
  caller: Caller,
  { error, ...what }: Audited & { error: AppError },
): Promise<AppError> {
  if (isAudited(error)) return error;
  try {
    await audit(mcp, { ...caller, id: newId() }, { ...what, error });
    return error;
  } catch (unaudited) {
    return toAppError(unaudited);
  }
}
