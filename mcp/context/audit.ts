import { toAppError } from '../../shared/http/error-response.js';
import type { AppError } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import { isAudited } from '../../shared/resources/audit-log/audited.js';
import { type Caller, getActor } from './caller.js';
import type { McpRuntime } from './runtime.js';

export interface McpAuditEntry {
  /** Null if the call names no tool, for example a resource read. */
  tool: string | null;
  action: string;
  entityType: string | null;
  entityId: string | null;
  /** The error with which the call was refused; absent if the call succeeded. */
  error?: AppError;
  /** Set for a refused write, and for a repeated write, which only returns its stored result. */
  idempotencyKey?: string | undefined;
}

/**
 * Stores the audit entry of a call. Await this before the response is sent (docs/decisions.md §6).
 * @throws {AppError} 503 if the entry cannot be stored; the client then receives this error
 */
export function auditCall(
  mcp: McpRuntime,
  caller: Caller,
  { error, idempotencyKey, ...entry }: McpAuditEntry,
): Promise<void> {
  const { key, id, requestId, ip, userAgent } = caller;
  return mcp.audit.record({
    tenantId: key.tenantId,
    id,
    actor: getActor(caller),
    ...entry,
    outcome: error ? outcomeFor(error) : 'ok',
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

function outcomeFor({ status }: AppError): 'denied' | 'failed' {
  return status === 401 || status === 403 || status === 429 ? 'denied' : 'failed';
}

/**
 * Stores the audit entry of a refused call, unless a worker has already stored an entry for the
 * call's command. The entry gets a new id: if the command still runs later, the command's own entry
 * needs the call's id.
 * @returns the error for the client: `error`, or a 503 if the entry cannot be stored
 */
export async function auditRefusal(
  mcp: McpRuntime,
  caller: Caller,
  { error, ...entry }: McpAuditEntry & { error: AppError },
): Promise<AppError> {
  if (isAudited(error)) return error;
  try {
    await auditCall(mcp, { ...caller, id: newId() }, { ...entry, error });
    return error;
  } catch (auditError) {
    return toAppError(auditError);
  }
}
