import Joi from 'joi';
import type { WorkOrderCreate, WorkOrderListQuery } from '../../shared/contracts/generated.js';
import { email, multilineText, slug, text, uuid, vin } from '../../shared/contracts/schemas/fields.js';
import { SERVICE_TYPES, WORK_ORDER_STATUSES } from '../../shared/contracts/vocabulary.js';
import { createWorkOrder } from '../../shared/resources/work-orders/commands.js';
import { listAgentWorkOrders } from '../../shared/resources/work-orders/queries.js';
import { agentWorkOrder, agentWorkOrderListItem } from '../../shared/resources/work-orders/schema.js';
import { readWorkOrder } from '../resources/read-record.js';
import { countBy, quoteText } from '../text/format.js';
import { pageCursor, pageSize } from './fields.js';
import { defineListTool, defineReadTool, defineWriteTool } from './tool.js';

const workOrderEntity = { entityType: 'work_order' } as const;

export const listWorkOrdersTool = defineListTool<Pick<WorkOrderListQuery, 'status' | 'limit' | 'cursor'>>({
  ...workOrderEntity,
  name: 'list_work_orders',
  title: 'List work orders',
  description:
    'Lists jobs (work orders: one tow or roadside call each), newest first. A job goes new (booked, no operator has accepted it yet) → pending (accepted, needs a truck) → dispatched (has a truck) → in_progress → completed, or is cancelled; filter by one of these. billing_status says whether it has an invoice. cursor is null on the last page. Use get_work_order for one job in full. For what is going on right now, use get_dispatch_board.',
  scope: 'read_work_orders',
  action: 'work_order.listed',
  input: Joi.object({
    status: Joi.string().valid('new', ...WORK_ORDER_STATUSES),
    limit: pageSize(200),
    cursor: pageCursor(),
  }),
  output: agentWorkOrderListItem,
  buildQuery: listAgentWorkOrders,
  summarize: (items) => countBy(items, 'status'),
  describeItem: ({ id, job_number, service_type, pickup_location, customer_name, status, billing_status }) =>
    [
      `${job_number} ${service_type}${pickup_location ? ` at ${quoteText(pickup_location)}` : ''}`,
      ...(customer_name ? [`for ${quoteText(customer_name)}`] : []),
      `${status}, ${billing_status}`,
      `work order ${id}`,
    ].join(', '),
});

export const getWorkOrderTool = defineReadTool<{ work_order_id: string }>({
  ...workOrderEntity,
  name: 'get_work_order',
  title: 'Get one work order',
  description:
    'Reads one job: where the vehicle is and goes, vehicle, contact, truck and driver, status and billing_status. Needs its id (a UUID from list_work_orders), not its job_number.',
  scope: 'read_work_orders',
  action: 'work_order.read',
  input: Joi.object({ work_order_id: uuid().required().description('`id` from list_work_orders') }),
  output: agentWorkOrder,
  getEntityId: ({ work_order_id }) => work_order_id,
  read: (mcp, caller, { work_order_id: id }) => readWorkOrder(mcp, caller, id),
  summarize: ({ id, status, billing_status, truck_id }) =>
    `Work order ${id} is ${status}, ${billing_status}, ${truck_id ? `on truck ${truck_id}` : 'without a truck'}.`,
});

interface NewWorkOrder {
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

export const createWorkOrderTool = defineWriteTool<NewWorkOrder, WorkOrderCreate>({
  ...workOrderEntity,
  name: 'create_work_order',
  title: 'Book a job',
  description:
    'Books a new job (work order: a tow or roadside call). It starts as "new" in the operators\' queue; a person accepts it and sends a truck, you cannot. Give what you know: where the vehicle is and goes, which vehicle, who pays. A model and colour without a field of their own belong in internal_notes. When you retry the same action, send the SAME idempotency_key.',
  scope: 'write_work_orders',
  action: 'work_order.created',
  command: createWorkOrder,
  input: Joi.object({
    service_type: slug(SERVICE_TYPES).required(),
    customer_id: uuid().description('Who is billed: `id` from list_customers; leave it out for a cash call'),
    pickup_location: multilineText(500).description('Address or place where the vehicle is'),
    dropoff_location: multilineText(500).description('Where it goes'),
    vin: vin().description('Vehicle identification number, or a part of it'),
    unit_number: text(32).description("The customer's fleet number of the vehicle"),
    internal_notes: multilineText(5000).description('For operators and drivers; customers never see them'),
    customer_notes: multilineText(5000).description('The customer may see them'),
    billing_email: email().description("Where the invoice goes, instead of the customer's address"),
  }),
  toCommand: ({ internal_notes: notes, ...input }) => ({
    ...input,
    ...(notes === undefined ? {} : { notes }),
  }),
  // For agents, a new work order is `new` until an operator accepts it (docs/decisions.md §1, row
  // 3).
  toAgentRecord: (record) => ({ ...record, status: 'new' }),
  output: agentWorkOrder,
  summarize: ({ id }) => `Work order ${id} is booked and waits for an operator to accept it.`,
  describePreview: ({ service_type }) => `a new ${service_type} job that waits for an operator to accept it`,
});
