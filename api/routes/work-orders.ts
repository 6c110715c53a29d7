import type Router from '@koa/router';
import type Joi from 'joi';
import type { CommandDefinition } from '../../shared/contracts/command.js';
import { ACTIVE_STATUSES } from '../../shared/contracts/vocabulary.js';
import { getReadAccess } from '../../shared/registry/tables.js';
import { describeDrive, readDrive } from '../../shared/resources/trucks/current-drive.js';
import {
  acceptWorkOrder,
  assignWorkOrder,
  cancelWorkOrder,
  completeWorkOrder,
  createWorkOrder,
  logWorkOrderStep,
  reopenWorkOrder,
  startWorkOrder,
  unassignWorkOrder,
  updateWorkOrder,
} from '../../shared/resources/work-orders/commands.js';
import {
  listWorkOrderSteps,
  listWorkOrders,
  type StepsOfWorkOrder,
} from '../../shared/resources/work-orders/queries.js';
import { loggedStepListQuery, workOrderListQuery } from '../../shared/resources/work-orders/schema.js';
import type { WorkOrderStatus } from '../../shared/resources/work-orders/transitions.js';
import { requireAccess } from '../middleware/access.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext, ApiMiddleware, RequestState } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { createWorkOrderLinkAdder } from '../runtime/work-order-links.js';
import { priceWorkOrder } from './price-work-order.js';

const read = getReadAccess('work_order');

type ServeWorkOrderWrite = <Input>(definition: CommandDefinition<Input>) => ApiMiddleware;

export const workOrderRoutes = defineRoutes('Work orders', (router, api) => {
  const addLinks = createWorkOrderLinkAdder(api);
  const addMembers = (body: string, ctx: ApiContext) => addDriveMembers(api, addLinks(body, ctx), ctx);
  const addMembersIfPossible = (body: string, ctx: ApiContext) =>
    addMembers(body, ctx).catch((error: unknown) => {
      api.logger.warn({ err: error, requestId: ctx.state.requestId }, 'the drive of a truck was not read');
      return addLinks(body, ctx);
    });
  const write: ServeWorkOrderWrite = (definition) =>
    serveWrite(api, definition, { addMembers: addMembersIfPossible });

  /**
   * @openapi
   * /work-orders:
   *   get:
   *     operationId: listWorkOrders
   *     summary: List work orders
   *     description: Newest first, unless sort names another sequence.
   *     x-list: WorkOrderListItem
   */
  router.get(
    '/work-orders',
    serveList(api, { access: read, schema: workOrderListQuery, buildQuery: listWorkOrders }),
  );

  /**
   * @openapi
   * /work-orders:
   *   post:
   *     operationId: createWorkOrder
   *     summary: Create a work order
   *     description: Only service_type is required.
   */
  router.post('/work-orders', write(createWorkOrder));

  /**
   * @openapi
   * /work-orders/{id}:
   *   get:
   *     operationId: getWorkOrder
   *     summary: Get one work order
   */
  router.get('/work-orders/:id', serveRecord(api, 'work_order', { transformResponse: addMembers }));

  /**
   * @openapi
   * /work-orders/{id}:
   *   patch:
   *     operationId: updateWorkOrder
   *     summary: Change a work order
   *     description: 'JSON merge: an absent member is kept, null clears it.'
   */
  router.patch('/work-orders/:id', write(updateWorkOrder));
  workOrderActionRoutes(router, api, write);
});

/**
 * Adds the estimated arrival and the proposed step to the JSON of a work order. Only an active work
 * order needs another query for them.
 */
async function addDriveMembers({ db }: ApiRuntime, body: string, { state }: ApiContext): Promise<string> {
  const { id, status } = JSON.parse(body) as { id: string; status: WorkOrderStatus };
  const target = { tenantId: state.key.tenantId, workOrderId: id };
  const isActive = (ACTIVE_STATUSES as readonly WorkOrderStatus[]).includes(status);
  const members = JSON.stringify(describeDrive(isActive ? await readDrive(db, target) : null));
  return `${body.slice(0, -1)},${members.slice(1)}`;
}

function workOrderActionRoutes(
  router: Router<RequestState>,
  api: ApiRuntime,
  write: ServeWorkOrderWrite,
): void {
  /**
   * @openapi
   * /work-orders/{id}/accept:
   *   post:
   *     operationId: acceptWorkOrder
   *     summary: Accept a work order
   */
  router.post('/work-orders/:id/accept', write(acceptWorkOrder));

  /**
   * @openapi
   * /work-orders/{id}/assign:
   *   post:
   *     operationId: assignWorkOrder
   *     summary: Assign a truck
   *     description: >-
   *       A second call assigns another truck, also while the work order is in progress. 409 when
   *       the truck is on another work order; the error names it.
   */
  router.post('/work-orders/:id/assign', write(assignWorkOrder));

  /**
   * @openapi
   * /work-orders/{id}/unassign:
   *   post:
   *     operationId: unassignWorkOrder
   *     summary: Unassign the truck
   */
  router.post('/work-orders/:id/unassign', write(unassignWorkOrder));

  /**
   * @openapi
   * /work-orders/{id}/start:
   *   post:
   *     operationId: startWorkOrder
   *     summary: Start a dispatched work order
   *     description: The driver is on the way or on the scene.
   */
  router.post('/work-orders/:id/start', write(startWorkOrder));

  /**
   * @openapi
   * /work-orders/{id}/steps:
   *   get:
   *     operationId: listWorkOrderSteps
   *     summary: List what happened to a work order
   *     description: >-
   *       Newest first: who booked, assigned, started, completed, cancelled or reopened it, and
   *       each step of the driver.
   *     x-list: LoggedStep
   */
  router.get(
    '/work-orders/:id/steps',
    serveList(api, {
      access: read,
      schema: loggedStepListQuery as Joi.ObjectSchema<StepsOfWorkOrder>,
      parent: { entityType: 'work_order', member: 'work_order_id' },
      buildQuery: listWorkOrderSteps,
    }),
  );

  /**
   * @openapi
   * /work-orders/{id}/steps:
   *   post:
   *     operationId: logWorkOrderStep
   *     summary: Log a step of the driver
   *     description: Steps are only logged; they do not change the status.
   */
  router.post('/work-orders/:id/steps', write(logWorkOrderStep));

  /**
   * @openapi
   * /work-orders/{id}/complete:
   *   post:
   *     operationId: completeWorkOrder
   *     summary: Complete a work order
   *     description: Sets completion_time.
   */
  router.post('/work-orders/:id/complete', write(completeWorkOrder));

  /**
   * @openapi
   * /work-orders/{id}/cancel:
   *   post:
   *     operationId: cancelWorkOrder
   *     summary: Cancel a work order
   */
  router.post('/work-orders/:id/cancel', write(cancelWorkOrder));

  /**
   * @openapi
   * /work-orders/{id}/reopen:
   *   post:
   *     operationId: reopenWorkOrder
   *     summary: Reopen a completed or cancelled work order
   *     description: >-
   *       Only a signed-in person may reopen it, while no invoice of the work order is released.
   */
  router.post('/work-orders/:id/reopen', write(reopenWorkOrder));

  /**
   * @openapi
   * /work-orders/{id}/price:
   *   post:
   *     operationId: priceWorkOrder
   *     summary: Price a work order by its rate card
   *     description: >-
   *       A preview that stores nothing: it returns what POST /invoices with this work_order_id and
   *       no line_items charges, and why. It uses the customer's card, or else the default one, in
   *       the version in force on the day of completion. A work order in progress is priced by what
   *       is known so far. 409 conflict when no card is in force, or none of its items charges
   *       anything. Idempotency-Key and dry run have no effect.
   *     x-resource: JobPrice
   */
  router.post(
    '/work-orders/:id/price',
    requireAccess({ permission: 'write', agentScope: null }),
    priceWorkOrder(api),
  );
}
