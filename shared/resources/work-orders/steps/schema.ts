import Joi from 'joi';
import { actorType } from '../../../contracts/enums.js';
import { namedEnum } from '../../../contracts/named-enum.js';
import { allRequired, cursor, dateTime, limit, uuid } from '../../../contracts/schemas/fields.js';
import { cancelReason, driverStep } from '../enums.js';

/** The verbs of the audit actions: `work_order.assigned`. */
export const STEP_ACTIONS = [
  'created',
  'accepted',
  'assigned',
  'unassigned',
  'started',
  'step_logged',
  'completed',
  'cancelled',
  'reopened',
] as const;

export const loggedAction = namedEnum('LoggedAction', STEP_ACTIONS, {
  created: 'The work order was booked',
  accepted: 'A person accepted what an agent had booked',
  assigned: 'A truck or a driver was assigned, or the ETA changed',
  unassigned: 'The truck was taken off',
  started: 'The work began',
  step_logged: 'A step of the driver was logged',
  completed: 'The work was completed',
  cancelled: 'The work order was cancelled',
  reopened: 'The work order was opened again',
});

/** One thing that happened to a work order. */
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
