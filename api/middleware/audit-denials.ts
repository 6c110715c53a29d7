import { AppError } from '../../shared/platform/errors.js';
import { isUuid, newId } from '../../shared/platform/ids.js';
import { RESOURCE_TABLES } from '../../shared/registry/tables.js';
import { isAudited } from '../../shared/resources/audit-log/audited.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { describeOrigin } from './write.js';

/**
 * Audits that an agent key was denied access, before the response is sent
 * (docs/decisions.md §6, Audit of agents). Workers audit their own denials. If the entry
 * cannot be stored, throws 503 instead.
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
    // The request's own id may already belong to a command.
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

/** An account has one record of each of these collections. */
const SINGLE_RECORD_COLLECTIONS = ['/settings', '/session'];

/** For a read of a resource: `invoice.listed` or `invoice.read`. Otherwise: `request.refused`. */
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
