import type { AppError } from '../shared/platform/errors.js';
import { actorOf, type Caller } from './caller.js';
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

/** Refusals that a worker has written down already, with the command they are of. */
const byWorkers = new WeakSet<AppError>();

export function markAudited(error: AppError): AppError {
  byWorkers.add(error);
  return error;
}

export function isAudited(error: AppError): boolean {
  return byWorkers.has(error);
}
