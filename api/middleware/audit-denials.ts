import { AppError } from '../../shared/platform/errors.js';
import { isUuid, newId } from '../../shared/platform/ids.js';
import { RESOURCE_TABLES } from '../../shared/registry/tables.js';
import { isAudited } from '../../shared/resources/audit-log/audited.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { describeOrigin } from './write.js';

/**
 * Stores an audit entry for each 403 of an agent key, before the response is sent
 * (docs/decisions.md §6, Audit of agents). Skips a 403 from a worker, because the worker has
 * already stored an entry. Throws a 503 if the entry cannot be stored.
 */
export function auditDenials(api: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof AppError && error.status === 403 && ctx.state.key.kind === 'agent') {
        if (!isAudited(error)) await recordDenial(api, ctx, error);
      }
      throw error;
    }
  };
}

async function recordDenial(api: ApiRuntime, ctx: ApiContext, error: AppError): Promise<void> {
  const key = ctx.get('Idempotency-Key');
  const id = String(ctx.params?.id ?? '');
  await api.audit.record({
    ...describeOrigin(ctx),
    // Use a new id. The command's audit entry may already have the request's id: a command can run
    // although its response is refused.
    id: newId(),
    ...(ctx.state.intent ? pickAuditNames(ctx.state.intent) : nameRequest(ctx)),
    entityId: isUuid(id) ? id.toLowerCase() : null,
    outcome: 'denied',
    changes: null,
    error: error.toBody(),
    responseStatus: error.status,
    idempotencyKey: isUuid(key) ? key.toLowerCase() : null,
  });
}

interface AuditNames {
  action: string;
  entityType: string | null;
}

function pickAuditNames({ action, entityType }: AuditNames): AuditNames {
  return { action, entityType };
}

/**
 * The collections that have only one record per account. A GET of such a collection counts as
 * reading a record.
 */
const SINGLE_RECORD_COLLECTIONS = ['/settings', '/session'];

/**
 * Returns `invoice.listed` or `invoice.read` for a read of invoices, and likewise for other
 * resources. Returns `request.refused` for any other request.
 */
function nameRequest({ method, state: { route } }: ApiContext): AuditNames {
  const entity = Object.entries(RESOURCE_TABLES).find(
    ([, { collection }]) => route === collection || route?.startsWith(`${collection}/`),
  );
  if (!entity || (method !== 'GET' && method !== 'HEAD'))
    return { action: 'request.refused', entityType: entity?.[0] ?? null };
  const [entityType, { collection }] = entity;
  const isList = route === collection && !SINGLE_RECORD_COLLECTIONS.includes(collection);
  return { action: `${entityType}.${isList ? 'listed' : 'read'}`, entityType };
}
