import Joi from 'joi';
import { billingStatus, workOrderStatus } from '../../contracts/enums.js';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  coordinate,
  cursor,
  dateOrDateTime,
  dateTime,
  email,
  integer,
  limit,
  multilineText,
  slug,
  text,
  uuid,
  vin,
} from '../../contracts/schemas/fields.js';
import { SERVICE_TYPES, WORK_ORDER_STATUSES } from '../../contracts/vocabulary.js';
import { CANCEL_REASONS, DRIVER_STEPS, ON_SITE_CANCEL_REASONS } from './transitions.js';

export const driverStep = namedEnum('DriverStep', DRIVER_STEPS, {
  offered: 'The job was offered to the driver',
  acknowledged: 'The driver accepted it',
  en_route: 'On the way to the vehicle',
  on_scene: 'At the vehicle',
  hooked: 'The vehicle is hooked or loaded',
  towing: 'On the way to the destination',
  at_destination: 'At the destination',
  cleared: 'The vehicle is unloaded, and the truck is free',
});

export const cancelReason = namedEnum('CancelReason', CANCEL_REASONS, {
  customer: 'The customer cancelled',
  club: 'The motor club cancelled',
  provider: 'The tow company cancelled',
  goa: 'Gone on arrival: the vehicle was not there',
  unsuccessful: 'The truck was there and could not do the job',
});

const workOrderKeys = () => ({
  customer_id: uuid().allow(null),
  pickup_location: multilineText(500).allow(null),
  dropoff_location: multilineText(500).allow(null),
  pickup: Joi.object({
    address: multilineText(500).allow(null).description('Also sets pickup_location when that is absent'),
    lat: coordinate(90).allow(null).example(40.7128),
    lng: coordinate(180).allow(null).example(-74.006),
  }).allow(null),
  vehicle: Joi.object({
    make: text(100).allow(null).example('Honda'),
    model: text(100).allow(null).example('Accord'),
    year: integer(1900, 2200).allow(null).example(2019),
  }).allow(null),
  vin: vin().allow(null),
  unit_number: text(32).allow(null),
  contact_name: text(200).allow(null),
  contact_phone: text(32).allow(null),
  notes: multilineText(5000).allow(null),
  customer_notes: multilineText(5000).allow(null).description('The customer may see them'),
  billing_email: email()
    .allow(null)
    .description("Billing address of agents' drafts for this job, instead of the customer's"),
});

export const workOrderCreate = Joi.object({
  service_type: slug(SERVICE_TYPES).required(),
  ...workOrderKeys(),
}).meta({ className: 'WorkOrderCreate' });

export const workOrderPatch = Joi.object({
  service_type: slug(SERVICE_TYPES),
  ...workOrderKeys(),
}).meta({ className: 'WorkOrderPatch' });

/** The path holds all input of these actions. */
export const workOrderAction = Joi.object({}).meta({ className: 'WorkOrderAction' });

export const workOrderAssign = Joi.object({
  truck_id: uuid().required(),
  driver_id: uuid().allow(null).description("Default: the truck's own driver"),
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

export const workOrder = allRequired({
  id: uuid(),
  job_number: Joi.string().example('WO-000123'),
  status: workOrderStatus,
  billing_status: billingStatus.description('Derived; no client sets it'),
  service_type: slug(SERVICE_TYPES),
  customer_id: uuid().allow(null),
  pickup_location: Joi.string().allow(null),
  dropoff_location: Joi.string().allow(null),
  dispatch_time: dateTime().allow(null),
  completion_time: dateTime().allow(null),
  vin: Joi.string().allow(null),
  notes: Joi.string().allow(null),
  customer_notes: Joi.string().allow(null),
  billing_email: email().allow(null),
  contact_name: Joi.string().allow(null),
  contact_phone: Joi.string().allow(null),
  pickup: allRequired({
    address: Joi.string().allow(null),
    lat: Joi.number().allow(null),
    lng: Joi.number().allow(null),
  }),
  vehicle: allRequired({
    make: Joi.string().allow(null),
    model: Joi.string().allow(null),
    year: Joi.number().integer().allow(null),
  }),
  unit_number: Joi.string().allow(null),
  truck_id: uuid().allow(null),
  driver_id: uuid().allow(null),
  step: driverStep.allow(null),
  eta: dateTime().allow(null),
  miles: Joi.number().allow(null).example(12.5),
  cancel_reason: cancelReason.allow(null),
  cancel_note: Joi.string().allow(null),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'WorkOrder' });

const agentStatus = () =>
  Joi.string()
    .valid('new', ...WORK_ORDER_STATUSES)
    .required();

/** A work order as agents see it: `new` until accepted (docs/decisions.md §1, row 3). */
export const agentWorkOrder = workOrder.keys({ status: agentStatus() }).meta({ className: 'AgentWorkOrder' });

/** A work order in an agent's list. Members that are null are absent. */
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
  status: Joi.string()
    .valid(...WORK_ORDER_STATUSES, 'new')
    .description('pending includes jobs that are not accepted yet; new means those alone'),
  service_type: slug(SERVICE_TYPES),
  customer_id: uuid(),
  search: text(100).description('Part of job_number or vin'),
  since: dateOrDateTime().description('Inclusive'),
  until: dateOrDateTime().description('Exclusive'),
  date_field: Joi.string()
    .valid('created_at', 'updated_at', 'dispatch_time', 'completion_time')
    .description('The date that since and until compare; default created_at'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'WorkOrderListQuery' });
