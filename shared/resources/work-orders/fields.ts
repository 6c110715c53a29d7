import Joi from 'joi';
import { billingStatus, workOrderStatus } from '../../contracts/enums.js';
import { lookUpWords } from '../../contracts/resource.js';
import {
  dateTime,
  email,
  integer,
  multilineText,
  slug,
  text,
  uuid,
  vin,
} from '../../contracts/schemas/fields.js';
import { SERVICE_TYPES, WORK_ORDER_STATUSES } from '../../contracts/vocabulary.js';
import { columnGroup } from '../../records/fields/column-group.js';
import {
  optionalMultilineText,
  optionalReference,
  optionalText,
  recordId,
  time,
} from '../../records/fields/field.js';
import { definePlace } from '../../records/fields/place.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { customerTable } from '../customers/table.js';
import { driven, drivenSources } from './driven/field.js';
import { cancelReason, driverStep, workOrderActionName } from './enums.js';
import { listAllowedActions } from './transitions.js';

const nullableText = () => Joi.string().allow(null);

/** The place where the vehicle is picked up. */
export const pickup = definePlace('pickup');

/** The place to which the vehicle is towed. */
export const dropoff = definePlace('dropoff', { isLastInCsv: true });

export const vehicle = columnGroup('vehicle', {
  make: optionalText(100, { input: text(100).allow(null).example('Honda'), freeText: true }),
  model: optionalText(100, { input: text(100).allow(null).example('Accord'), freeText: true }),
  year: {
    input: integer(1900, 2200).allow(null).example(2019),
    output: Joi.number().integer().allow(null),
    columns: 'integer',
  },
});

/** The members that follow from the position of the truck at each read. */
export const driveMembers = {
  estimated_arrival_at: dateTime()
    .allow(null)
    .description(
      'When the truck arrives at the pickup, estimated from its distance and speed without roads and traffic, and rounded. eta is what a dispatcher promised. null: the truck has arrived, or its position is unknown or older than five minutes, or pickup has no coordinates',
    ),
  proposed_step: driverStep
    .allow(null)
    .example('on_scene')
    .description(
      "The driver's step that the truck's position shows and nobody has logged: on_scene once it stands at the pickup, at_destination once it stands at the drop-off with the vehicle. It is a proposal, and a person logs the step. null: the position shows none",
    ),
};

/**
 * Maps each state to its allowed actions. A key is the status and two flags, accepted and billed:
 * `pending10`.
 */
const ACTIONS_BY_STATE = Object.fromEntries(
  WORK_ORDER_STATUSES.flatMap((status) =>
    [false, true].flatMap((isAccepted) =>
      [false, true].map((isBilled) => [
        `${status}${Number(isAccepted)}${Number(isBilled)}`,
        listAllowedActions({ status, isAccepted, isBilled }),
      ]),
    ),
  ),
);

function allowedActions(alias: string): string {
  const isAccepted = `(${alias}.intake <> 'new')::int`;
  const isBilled = `(${alias}.billing_status in ('billed', 'partially_paid', 'paid', 'disputed'))::int`;
  return lookUpWords(ACTIONS_BY_STATE, `${alias}.status || ${isAccepted} || ${isBilled}`);
}

export const workOrderFields = defineFields({
  id: recordId(),
  job_number: { output: Joi.string().example('WO-000123') },
  status: { output: workOrderStatus },
  billing_status: { output: billingStatus.description('Derived; no client sets it') },
  service_type: { input: slug(SERVICE_TYPES), isRequired: true, columns: 'text', csv: 'plain' },
  customer_id: optionalReference(customerTable),
  pickup_location: optionalMultilineText(500, { freeText: true }),
  dropoff_location: optionalMultilineText(500, { freeText: true }),
  dispatch_time: time(dateTime().allow(null)),
  completion_time: time(dateTime().allow(null)),
  vin: optionalText(17, { input: vin().allow(null), freeText: true }),
  notes: optionalMultilineText(5000, { freeText: true }),
  customer_notes: optionalMultilineText(5000, {
    input: multilineText(5000).allow(null).description('The customer may see them'),
    freeText: true,
  }),
  billing_email: {
    input: email()
      .allow(null)
      .description("Billing address of agents' drafts for this job, instead of the customer's"),
    output: email().allow(null),
    columns: 'text',
  },
  contact_name: optionalText(200, { freeText: true }),
  contact_phone: optionalText(32, { freeText: true }),
  pickup,
  vehicle,
  unit_number: optionalText(32, { freeText: true }),
  truck_id: { output: uuid().allow(null) },
  driver_id: { output: uuid().allow(null) },
  step: { output: driverStep.allow(null) },
  eta: time(dateTime().allow(null)),
  miles: { output: Joi.number().allow(null).example(12.5) },
  driven,
  cancel_reason: { output: cancelReason.allow(null) },
  cancel_note: { output: nullableText(), freeText: true },
  created_at: time(),
  updated_at: time(),
  customer_name: { columns: null, csv: 'text', freeText: true },
  // Exports omit the allowed actions, because these are valid only at the moment of reading.
  allowed_actions: {
    output: Joi.array()
      .items(workOrderActionName)
      .description(
        'Actions that an operator may take on this work order now. reopen follows billing_status: it is absent once an invoice is sent, paid or disputed',
      ),
    sql: allowedActions,
    columns: null,
    csv: null,
  },
  dropoff,
  driven_sources: drivenSources,
});
