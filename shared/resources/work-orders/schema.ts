import Joi from 'joi';
import { actorType, billingStatus } from '../../contracts/enums.js';
import {
  allRequired,
  coordinate,
  cursor,
  dateOrDateTime,
  dateTime,
  limit,
  multilineText,
  oneOrMore,
  slug,
  sort,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { listedName } from '../../contracts/schemas/listed-name.js';
import { SERVICE_TYPES, WORK_ORDER_STATUSES } from '../../contracts/vocabulary.js';
import { cancelReason, driverStep, loggedAction, workOrderActionName } from './enums.js';
import { driveMembers, workOrderFields } from './fields.js';
import { ON_SITE_CANCEL_REASONS } from './transitions.js';

export { cancelReason, driverStep, loggedAction, workOrderActionName };

export const workOrderCreate = Joi.object(workOrderFields.creation).meta({ className: 'WorkOrderCreate' });

export const workOrderPatch = Joi.object(workOrderFields.change).meta({ className: 'WorkOrderPatch' });

export const workOrderAction = Joi.object({}).meta({ className: 'WorkOrderAction' });

export const workOrderAssign = Joi.object({
  truck_id: uuid().required(),
  driver_id: uuid()
    .allow(null)
    .description("Default: the truck's own driver. With null the work order has no driver"),
  eta: dateTime().allow(null),
}).meta({ className: 'WorkOrderAssign' });

export const workOrderStep = Joi.object({
  step: driverStep.required(),
  at: dateTime().description('Default: now'),
  lat: coordinate(90).allow(null).example(40.7128),
  lng: coordinate(180).allow(null).example(-74.006),
}).meta({ className: 'WorkOrderStepEntry' });

export const workOrderComplete = Joi.object({
  at: dateTime().description('Default: now'),
  miles: Joi.number().strict().min(0).max(10_000).example(12.5).description('Loaded miles'),
}).meta({ className: 'WorkOrderComplete' });

export const workOrderCancel = Joi.object({
  reason: cancelReason
    .required()
    .description(`${ON_SITE_CANCEL_REASONS.join(' and ')} are for jobs in progress`),
  note: multilineText(2000).allow(null),
}).meta({ className: 'WorkOrderCancel' });

const link = () => Joi.string().allow(null).example(null);

/**
 * A work order. Lists, events and exports omit the links. The API adds the links to the response
 * about a single work order, if the caller may dispatch. Only these responses and the
 * dispatch board have the estimated arrival and the proposed step.
 */
export const workOrder = workOrderFields.response
  .keys({
    driver_url: link().description(
      "Link of the driver's page; needs no key. Ends with the work order, and when another driver or truck takes it. Only in responses with one work order, for callers that may assign trucks; null while no truck is assigned",
    ),
    tracking_url: link().description(
      "Link of the motorist's tracking page; needs no key. Only in responses with one work order, for callers that may assign trucks; null when the work order has ended",
    ),
    ...driveMembers,
  })
  .meta({ className: 'WorkOrder' });

export const workOrderListItem = workOrderFields.response
  .keys({
    customer_name: listedName('Hudson Auto Club'),
    truck_unit_number: listedName('12'),
    driver_name: listedName('Sam Rivera'),
  })
  .meta({ className: 'WorkOrderListItem' });

const agentStatus = () =>
  Joi.string()
    .valid('new', ...WORK_ORDER_STATUSES)
    .required();

/**
 * A work order for agents, who see the status `new` until the work order is accepted
 * (docs/decisions.md §1, row 3).
 */
export const agentWorkOrder = workOrderFields.response
  .keys({ status: agentStatus() })
  .meta({ className: 'AgentWorkOrder' });

/** A work order in the agents' list. Members that are null are omitted. */
export const agentWorkOrderListItem = Joi.object({
  id: uuid().required(),
  job_number: Joi.string().required(),
  status: agentStatus(),
  billing_status: billingStatus.required(),
  service_type: slug(SERVICE_TYPES).required(),
  customer_name: Joi.string(),
  pickup_location: Joi.string(),
  created_at: dateTime().required(),
}).meta({ className: 'AgentWorkOrderListItem' });

export const workOrderListQuery = Joi.object({
  status: oneOrMore([...WORK_ORDER_STATUSES, 'new']).description(
    'One status, or several joined by commas. pending includes jobs that are not accepted yet; new means those alone',
  ),
  service_type: slug(SERVICE_TYPES),
  customer_id: uuid(),
  search: text(100).description('Part of job_number or vin'),
  since: dateOrDateTime().description('Inclusive'),
  until: dateOrDateTime().description('Exclusive'),
  date_field: Joi.string()
    .valid('created_at', 'updated_at', 'dispatch_time', 'completion_time')
    .description('The date that since and until compare; default created_at'),
  expand: oneOrMore(['names']).description('names adds customer_name, truck_unit_number and driver_name'),
  sort: sort([]).description('created_at is oldest first, -created_at newest first. Default: -created_at'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'WorkOrderListQuery' });

/** One entry in the history of a work order. */
export const loggedStep = allRequired({
  id: uuid(),
  at: dateTime().description('When it happened'),
  recorded_at: dateTime().description('When it was stored'),
  action: loggedAction,
  step: driverStep.allow(null).description('The step of the driver, for step_logged'),
  truck_id: uuid().allow(null).description('The truck that was assigned, or that logged the step'),
  driver_id: uuid().allow(null).description('The driver who was assigned, or of the step'),
  lat: Joi.number().allow(null).example(40.7128),
  lng: Joi.number().allow(null).example(-74.006),
  cancel_reason: cancelReason.allow(null),
  cancel_note: Joi.string().allow(null),
  actor: allRequired({
    type: actorType,
    id: uuid().allow(null),
    name: Joi.string().allow(null).example('Dana Whitfield'),
  }).description('Who did it'),
}).meta({ className: 'LoggedStep' });

/** The query parameters for listing one work order's steps. The path names the work order. */
export const loggedStepListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'LoggedStepListQuery',
});
