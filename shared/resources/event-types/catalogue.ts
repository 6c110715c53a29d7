import Joi from 'joi';
import { dateTime, uuid } from '../../contracts/schemas/fields.js';
import type { EventType } from '../../contracts/vocabulary.js';
import { clubOffer } from '../club-offers/schema.js';
import { driver } from '../drivers/schema.js';
import { exportRecord } from '../exports/schema.js';
import { invoice } from '../invoices/schema.js';
import { message } from '../messages/schema.js';
import { payment } from '../payments/schema.js';
import { payout } from '../payouts/schema.js';
import { suggestion } from '../suggestions/schema.js';
import { truck } from '../trucks/schema.js';
import { webhookDelivery } from '../webhook-deliveries/schema.js';
import { disabledReason, webhookEndpoint } from '../webhook-endpoints/schema.js';
import { cancelReason, workOrder } from '../work-orders/schema.js';
import * as examples from './example-records.js';

export interface EventTypeDefinition {
  description: string;
  /** When the event happens, as a clause that follows "fires when". */
  firesWhen: string;
  /** Schema of `data.object`: a record as REST returns it. */
  object: Joi.ObjectSchema;
  /** Schemas of the other members of `data`. All of them are always present. */
  extra?: Record<string, Joi.Schema>;
  /** Members of `data` in the example. The other members are generated from their schemas. */
  example: Record<string, unknown>;
}

/**
 * Defines all event types. GET /event-types, the OpenAPI callbacks and the test events are
 * generated from this table.
 */
export const EVENT_TYPE_CATALOGUE: Readonly<Record<EventType, EventTypeDefinition>> = {
  'invoice.created': {
    description: 'An invoice was created',
    firesWhen: 'an invoice is created by hand, by an agent or from a work order',
    object: invoice,
    example: { object: examples.draftInvoice },
  },
  'invoice.sent': {
    description: 'An invoice was sent to its customer',
    firesWhen:
      'the invoice is emailed or texted to the customer, once the mail server has accepted the message',
    object: invoice,
    example: { object: examples.sentInvoice },
  },
  'invoice.paid': {
    description: 'A full or partial payment of an invoice was recorded',
    firesWhen: 'a full or partial payment is recorded; each payment is one event',
    object: invoice,
    extra: {
      payment,
      fully_paid: Joi.boolean().example(true).description('True if nothing is owed any more'),
    },
    example: { object: examples.paidInvoice, payment: examples.payment, fully_paid: true },
  },
  'invoice.overdue': {
    description: 'An invoice is past due',
    firesWhen:
      "the invoice crosses the account's past-due threshold: its due date and the grace days have passed",
    object: invoice,
    example: { object: examples.overdueInvoice },
  },
  'work_order.created': {
    description: 'A work order was booked',
    firesWhen: 'a new work order is booked from any source',
    object: workOrder,
    example: { object: examples.bookedWorkOrder },
  },
  'work_order.completed': {
    description: 'A work order was completed',
    firesWhen: 'the driver marks the call complete',
    object: workOrder,
    example: { object: examples.completedWorkOrder },
  },
  'dispatch.assigned': {
    description: 'A work order was assigned to a truck',
    firesWhen: 'a work order is assigned to a specific truck, or reassigned to another one',
    object: workOrder,
    extra: { truck, driver: driver.allow(null).description('null: the truck has no driver') },
    example: { object: examples.dispatchedWorkOrder, truck: examples.truck, driver: examples.driver },
  },
  'ai.suggestion.created': {
    description: 'A suggestion to recover money was created',
    firesWhen: 'the AI flags a missed fee, a denial or an anomaly',
    object: suggestion,
    example: { object: examples.suggestion },
  },
  'message.received': {
    description: "A customer sent a text to the account's number",
    firesWhen: 'a text arrives, also one with STOP, START or HELP',
    object: message,
    example: { object: examples.receivedText },
  },
  'payout.paid': {
    description: "A payout has arrived at the account's bank",
    firesWhen: 'the payments vendor counts a payout as arrived; it may still fail some days later',
    object: payout,
    example: {},
  },
  'payout.failed': {
    description: "The account's bank has returned a payout",
    firesWhen: 'a payout fails, and its money is back in the balance at the payments vendor',
    object: payout,
    example: {},
  },
  'club_offer.created': {
    description: 'A motor club offered a job',
    firesWhen: 'a club offers a job by its own key; the offer waits for an answer until respond_by',
    object: clubOffer,
    example: { object: examples.receivedOffer },
  },
  'club_offer.accepted': {
    description: "A motor club's offer was accepted",
    firesWhen: 'a person of the company accepts the offer with an eta, which creates a work order',
    object: clubOffer,
    example: { object: examples.acceptedOffer },
  },
  'club_offer.refused': {
    description: "A motor club's offer was refused",
    firesWhen: 'a person of the company refuses the offer with a reason',
    object: clubOffer,
    example: { object: examples.refusedOffer },
  },
  'club_offer.expired': {
    description: "A motor club's offer was not answered in time",
    firesWhen: 'respond_by passes without an answer, within seconds',
    object: clubOffer,
    example: { object: { ...examples.refusedOffer, status: 'expired', refusal_reason: null } },
  },
  'club_offer.confirmed': {
    description: 'A motor club confirmed that its offer was accepted',
    firesWhen: 'the club confirms the acceptance',
    object: clubOffer,
    example: { object: { ...examples.acceptedOffer, status: 'confirmed' } },
  },
  'club_offer.withdrawn': {
    description: 'A motor club took its offer back',
    firesWhen:
      'the club withdraws the offer or reports that the motorist is gone; its work order is cancelled',
    object: clubOffer,
    example: { object: { ...examples.acceptedOffer, status: 'withdrawn', withdrawal_reason: 'cancelled' } },
  },
  'club_offer.status_changed': {
    description: "The job of a motor club's offer went on",
    firesWhen:
      'the work order of an accepted offer is dispatched, gets a step of the driver, ends or gets a new ETA',
    object: clubOffer,
    extra: { cancel_reason: cancelReason.allow(null).description('Why the company cancelled the job') },
    example: { object: { ...examples.acceptedOffer, progress: 'on_scene' }, cancel_reason: null },
  },
  'endpoint.failing': {
    description: 'All deliveries to a webhook endpoint have failed for some time',
    firesWhen: 'every delivery to the endpoint has failed for some hours, and again before it is disabled',
    object: webhookEndpoint,
    extra: {
      failing_since: dateTime().description('First failure since the last success'),
      hours: Joi.number().integer().example(24).description('Hours since failing_since'),
      disables_at: dateTime().description('When the endpoint will be disabled if nothing changes'),
    },
    example: {
      object: examples.failingEndpoint,
      failing_since: examples.FAILING_SINCE,
      disables_at: examples.DISABLES_AT,
    },
  },
  'endpoint.disabled': {
    description: 'A webhook endpoint was disabled and receives no more deliveries',
    firesWhen:
      'every delivery to the endpoint has failed for five days, or its receiver asks to stop deliveries',
    object: webhookEndpoint,
    extra: {
      reason: disabledReason,
    },
    example: { object: examples.disabledEndpoint, reason: 'failing' },
  },
  'endpoint.recovered': {
    description: 'A webhook endpoint works again',
    firesWhen: 'a delivery succeeds after the endpoint was reported as failing or was disabled for it',
    object: webhookEndpoint,
    extra: { was_disabled: Joi.boolean().example(false) },
    example: { object: examples.endpoint },
  },
  'delivery.exhausted': {
    description: 'A delivery used up all its attempts',
    firesWhen:
      'the last attempt of a delivery fails; several deliveries of one endpoint are reported together',
    object: webhookDelivery,
    extra: {
      endpoint: Joi.object({
        id: uuid().required(),
        url: Joi.string().required().example('https://example.com/hooks'),
      }),
      exhausted_count: Joi.number()
        .integer()
        .min(1)
        .example(1)
        .description('Deliveries exhausted since the last such event'),
    },
    example: {
      object: examples.exhaustedDelivery,
      endpoint: { id: examples.endpoint.id, url: examples.endpoint.url },
    },
  },
  'export.completed': {
    description: 'An export is ready for download',
    firesWhen: 'the file of an export is complete; GET /exports/{id} returns a link to it',
    object: exportRecord,
    example: { object: examples.completedExport },
  },
};
