import Joi from 'joi';
import { cursor, email, limit, multilineText, slug, text, uuid, vin } from '../../shared/contracts/fields.js';
import type { WorkOrderCreate, WorkOrderListQuery } from '../../shared/contracts/generated.js';
import { SERVICE_TYPES, WORK_ORDER_STATUSES } from '../../shared/contracts/vocabulary.js';
import { notFound } from '../../shared/platform/errors.js';
import { createWorkOrder } from '../../shared/resources/work-orders/commands.js';
import { listAgentWorkOrders, readAgentWorkOrder } from '../../shared/resources/work-orders/queries.js';
import { agentWorkOrder } from '../../shared/resources/work-orders/schema.js';
import { countBy, defineListTool, defineReadTool, defineWriteTool } from './tool.js';

const about = { entityType: 'work_order' } as const;

export const listWorkOrdersTool = defineListTool<Pick<WorkOrderListQuery, 'status' | 'limit' | 'cursor'>>({
  ...about,
  name: 'list_work_orders',
  title: 'List work orders',
  description:
    'Lists jobs (work orders), newest first. A job goes new (nobody has accepted it yet) → pending (accepted, no truck) → dispatched → in_progress → completed, or is cancelled. Filter by one of these. Follow `cursor` for the next page.',
  scope: 'read_work_orders',
  action: 'work_order.listed',
  input: Joi.object({
    status: Joi.string().valid('new', ...WORK_ORDER_STATUSES),
    limit: limit(200),
    cursor: cursor(),
  }),
  output: agentWorkOrder,
  statement: listAgentWorkOrders,
  summary: (items) => countBy(items, 'status'),
});

export const getWorkOrderTool = defineReadTool<{ work_order_id: string }>({
  ...about,
  name: 'get_work_order',
  title: 'Get one work order',
  description:
    'Reads one job: where the vehicle is and goes, vehicle, contact, truck and driver, status and billing_status. Needs its id (a UUID from list_work_orders), not its job_number.',
  scope: 'read_work_orders',
  action: 'work_order.read',
  input: Joi.object({ work_order_id: uuid().required() }),
  output: agentWorkOrder,
  entityId: ({ work_order_id }) => work_order_id,
  async read({ db }, { key: { tenantId } }, { work_order_id: id }) {
    const [row] = await db.read<{ body: string }>(tenantId, readAgentWorkOrder(tenantId, id));
    if (!row) throw notFound('work order');
    return row.body;
  },
  summary: ({ id, status, billing_status, truck_id }) =>
    `Work order ${id} is ${status}, ${billing_status}, ${truck_id ? `on truck ${truck_id}` : 'without a truck'}.`,
});

interface NewJob {
  service_type: string;
  customer_id?: string;
  pickup_location?: string;
  dropoff_location?: string;
  vin?: string;
  unit_number?: string;
  internal_notes?: string;
  customer_notes?: string;
  billing_email?: string;
}

export const createWorkOrderTool = defineWriteTool<NewJob, WorkOrderCreate>({
  ...about,
  name: 'create_work_order',
  title: 'Book a job',
  description:
    'Books a new job (work order). It starts as "new" in the operators\' queue; a person accepts it and sends a truck. internal_notes are for the company, customer_notes for the customer. When you retry the same action, send the SAME idempotency_key.',
  scope: 'write_work_orders',
  action: 'work_order.created',
  command: createWorkOrder,
  input: Joi.object({
    service_type: slug(SERVICE_TYPES).required(),
    customer_id: uuid(),
    pickup_location: multilineText(500),
    dropoff_location: multilineText(500),
    vin: vin(),
    unit_number: text(32),
    internal_notes: multilineText(5000),
    customer_notes: multilineText(5000),
    billing_email: email(),
  }),
  toCommand: ({ internal_notes: notes, ...job }) => ({ ...job, ...(notes === undefined ? {} : { notes }) }),
  // What an agent books is new until somebody accepts it (decisions 1, row 3).
  toAnswer: (record) => ({ ...record, status: 'new' }),
  output: agentWorkOrder,
  summary: ({ id }) => `Work order ${id} is booked and waits for an operator to accept it.`,
});
