import { buildPricingFactsQuery, type PricingFactsRow } from '../../shared/billing/pricing-facts.js';
import { previewPrice } from '../../shared/billing/work-order-price.js';
import { renderDryRunResponse } from '../../shared/contracts/dry-run-response.js';
import { appErrorFromBody, notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { workOrderAction } from '../../shared/resources/work-orders/schema.js';
import { readInput } from '../middleware/body.js';
import { readWriteHeaders } from '../middleware/write.js';
import type { ApiMiddleware } from '../runtime/context.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * Responds with the price of a work order and stores nothing (docs/decisions.md §10). Validates the
 * headers that every write accepts, although nothing is written.
 */
export function priceWorkOrder(api: ApiRuntime): ApiMiddleware {
  return declareFacts({ body: workOrderAction, write: { status: 200 } }, async (ctx) => {
    const { key } = ctx.state;
    const { id } = ctx.params;
    if (!isUuid(id)) throw notFound('work order');
    const { dryRun } = readWriteHeaders(ctx);
    await readInput(ctx, workOrderAction);
    const workOrder = { tenant_id: key.tenantId, id, customer_id: null, of_job: true };
    const [row] = await api.db.read<PricingFactsRow>(key.tenantId, buildPricingFactsQuery([workOrder]));
    if (!row) throw notFound('work order');
    const price = previewPrice(row);
    if ('code' in price) throw appErrorFromBody(price);
    const body = JSON.stringify(price);
    ctx.type = 'application/json';
    if (dryRun) ctx.set('X-Service-Dry-Run', 'true');
    ctx.body = dryRun ? renderDryRunResponse(body, ctx.state.unknownNames ?? []) : body;
  });
}
