import { AppError } from '../../shared/platform/errors.js';
import { isUuid, newId } from '../../shared/platform/ids.js';
import { isAudited } from '../../shared/resources/audit-log/audited.js';
import { TABLES } from '../../shared/resources/tables.js';
import type { ApiContext, ApiMiddleware } from '../context.js';
import type { ApiRuntime } from '../runtime.js';
import { origin } from './write.js';

/**
 * Writes down what an agent key was refused the right to (decisions 6, Audit of agents) before it is told so. A refusal by a worker stands in the log with its
 * command. Throws 503 instead when it cannot be written down.
 */
export function auditDenials(api: ApiRuntime): ApiMiddleware {
  return async (context, next) => {
    const ctx = context as ApiContext;
    try {
      await next();
    } catch (error) {
      if (error instanceof AppError && error.status === 403 && ctx.state.key.kind === 'agent') {
        if (!isAudited(error)) await record(api, ctx, error);
      }
      throw error;
    }
  };
}

async function record(api: ApiRuntime, ctx: ApiContext, error: AppError): Promise<void> {
  const key = ctx.get('Idempotency-Key');
  const id = String(ctx.params?.id ?? '');
  await api.audit.record({
    ...origin(ctx),
    // A command may have been made of the request's own id.
    id: newId(),
    ...(ctx.state.intent ? namesOf(ctx.state.intent) : readOf(ctx)),
    entityId: isUuid(id) ? id.toLowerCase() : null,
    outcome: 'denied',
    changes: null,
    error: error.toBody(),
    responseStatus: error.status,
    idempotencyKey: isUuid(key) ? key.toLowerCase() : null,
  });
}

interface Names {
  action: string;
  entityType: string | null;
}

function namesOf({ action, entityType }: Names): Names {
  return { action, entityType };
}

/** What an account has one of. */
const SINGLE = ['/settings', '/session'];

/** A read as the audit log names it: `invoice.listed`, `invoice.read`; what is about no record is `request.refused`. */
function readOf({ method, state: { route } }: ApiContext): Names {
  const entity = Object.entries(TABLES).find(
    ([, { collection }]) => route === collection || route?.startsWith(`${collection}/`),
  );
  if (!entity || (method !== 'GET' && method !== 'HEAD'))
    return { action: 'request.refused', entityType: entity?.[0] ?? null };
  const [entityType, { collection }] = entity;
  const isList = route === collection && !SINGLE.includes(collection);
  return { action: `${entityType}.${isList ? 'listed' : 'read'}`, entityType };
}
