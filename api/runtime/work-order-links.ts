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

/** The motorist may follow a work order that has one of these statuses. */
const TRACKED_STATUSES: readonly WorkOrderStatus[] = ['pending', ...ACTIVE_STATUSES];

/**
 * Returns a function that adds links to a work order in a response: to the driver's page and to the
 * motorist's page. Only callers with the right to dispatch get the links, because a link works
 * without a key.
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
    // Append to the text from PostgreSQL without parsing it.
    return `${body.slice(0, -1)},${JSON.stringify(links).slice(1)}`;
  };
}
