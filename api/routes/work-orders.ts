import type Router from '@koa/router';
import { createWorkOrder, updateWorkOrder } from '../../shared/resources/work-orders/commands.js';
import { listWorkOrders } from '../../shared/resources/work-orders/queries.js';
import { workOrderListQuery } from '../../shared/resources/work-orders/schema.js';
import type { RequestState } from '../context.js';
import { list, readOne } from '../middleware/read.js';
import { write } from '../middleware/write.js';
import type { ApiRuntime } from '../runtime.js';

const read = { permission: 'read', agentScope: 'read_work_orders' } as const;

export function workOrderRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /work-orders:
   *   get:
   *     operationId: listWorkOrders
   *     tags: [Work orders]
   *     summary: List work orders
   *     description: Newest first. Agent keys need the scope read_work_orders.
   *     x-query: WorkOrderListQuery
   *     responses:
   *       '200': { x-list: WorkOrder }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get(
    '/work-orders',
    list(api, { access: read, schema: workOrderListQuery, statement: listWorkOrders }),
  );

  /**
   * @openapi
   * /work-orders:
   *   post:
   *     operationId: createWorkOrder
   *     tags: [Work orders]
   *     summary: Book a job
   *     description: Only service_type is needed. Agent keys need the scope write_work_orders.
   *     x-body: WorkOrderCreate
   *     responses:
   *       '201': { x-resource: WorkOrder }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.post('/work-orders', write(api, createWorkOrder, { what: 'work order' }));

  /**
   * @openapi
   * /work-orders/{id}:
   *   get:
   *     operationId: getWorkOrder
   *     tags: [Work orders]
   *     summary: Get one work order
   *     description: Agent keys need the scope read_work_orders.
   *     responses:
   *       '200': { x-resource: WorkOrder }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/work-orders/:id',
    readOne(api, { access: read, entityType: 'work_order', what: 'work order' }),
  );

  /**
   * @openapi
   * /work-orders/{id}:
   *   patch:
   *     operationId: updateWorkOrder
   *     tags: [Work orders]
   *     summary: Change the facts of a job
   *     description: 'JSON merge: an absent member is kept, null clears it. Agent keys may not.'
   *     x-body: WorkOrderPatch
   *     responses:
   *       '200': { x-resource: WorkOrder }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.patch('/work-orders/:id', write(api, updateWorkOrder, { what: 'work order' }));
}
