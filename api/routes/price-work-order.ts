import { assertAccess } from '../../shared/contracts/access.js';
import { preview } from '../../shared/contracts/preview.js';
import { validateAndNote } from '../../shared/contracts/validate.js';
import { appErrorFromBody, notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { type JobFactsRow, jobFactsStatement } from '../../shared/resources/rate-cards/job-facts.js';
import { previewPrice } from '../../shared/resources/rate-cards/job-price.js';
import { workOrderAction } from '../../shared/resources/work-orders/schema.js';
import type { ApiContext, ApiMiddleware } from '../context.js';
import { readBody } from '../middleware/body.js';
import { noteIgnored } from '../middleware/warnings.js';
import { readHeaders } from '../middleware/write.js';
import type { ApiRuntime } from '../runtime.js';

/**
 * A POST that stores nothing (docs/decisions.md §10). It accepts and checks the same headers as a
 * write.
 */
export function priceWorkOrder(api: ApiRuntime): ApiMiddleware {
  return async (context) => {
    const ctx = context as ApiContext;
    const { key } = ctx.state;
    assertAccess(key, { permission: 'write', agentScope: null });
    const { id } = ctx.params;
    if (!isUuid(id)) throw notFound('work order');
    const { dryRun } = readHeaders(ctx);
    validateAndNote(workOrderAction, (await readBody(ctx)).value, (names) => noteIgnored(ctx, names));
    const workOrder = { tenant_id: key.tenantId, id, customer_id: null, of_job: true };
    const [row] = await api.db.read<JobFactsRow>(key.tenantId, jobFactsStatement([workOrder]));
    if (!row) throw notFound('work order');
    const price = previewPrice(row);
    if ('code' in price) throw appErrorFromBody(price);
    const body = JSON.stringify(price);
    ctx.type = 'application/json';
    if (dryRun) ctx.set('X-Service-Dry-Run', 'true');
    ctx.body = dryRun ? preview(body, ctx.state.ignored ?? []) : body;
  };
}
