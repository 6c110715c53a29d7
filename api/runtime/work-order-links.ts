import { hasAccess } from '../../shared/contracts/access.js';
import { ACTIVE_STATUSES } from '../../shared/contracts/vocabulary.js';
import {
  type Assignment,
  deriveLinkKeys,
  type LinkKeys,
  markAssignment,
  sealDriverLink,
  sealTrackingLink,
} from '../../shared/resources/work-order-links/link.js';
import { assignWorkOrder } from '../../shared/resources/work-orders/commands.js';
import type { WorkOrderStatus } from '../../shared/resources/work-orders/transitions.js';
import type { ApiContext } from './context.js';
import type { ApiRuntime } from './runtime.js';

/** In these statuses the motorist may follow the work order. */
const TRACKED_STATUSES: readonly WorkOrderStatus[] = ['pending', ...ACTIVE_STATUSES];

/**
 * Returns a function that adds the links of the driver's and the motorist's page to a work order,
 * for the response of a route. Only callers that may dispatch get the links, because whoever
 * has a link needs no key.
 */
export function createWorkOrderLinkAdder(api: Pick<ApiRuntime, 'config'>) {
  let keys: LinkKeys | undefined;
  return (body: string, { state }: ApiContext): string => {
    if (!hasAccess(state.key, assignWorkOrder)) return body;
    const { config } = api;
    keys ??= deriveLinkKeys(config);
    const workOrder = JSON.parse(body) as Assignment & { id: string };
    const target = { tenantId: state.key.tenantId, workOrderId: workOrder.id };
    const mark = markAssignment(workOrder);
    const isTracked = TRACKED_STATUSES.includes(workOrder.status);
    const links = {
      driver_url: mark === undefined ? null : `${config.publicUrl}/d/${sealDriverLink(keys, target, mark)}`,
      tracking_url: isTracked ? `${config.publicUrl}/t/${sealTrackingLink(keys, target)}` : null,
    };
    // PostgreSQL rendered the body, and it passes through unchanged.
    return `${body.slice(0, -1)},${JSON.stringify(links).slice(1)}`;
  };
}
