import Joi from 'joi';
import { dateTime, uuid } from '../../contracts/fields.js';
import type { EventType } from '../../contracts/vocabulary.js';
import { driver } from '../drivers/schema.js';
import { exportRecord } from '../exports/schema.js';
import { invoice } from '../invoices/schema.js';
import { payment } from '../payments/schema.js';
import { suggestion } from '../suggestions/schema.js';
import { truck } from '../trucks/schema.js';
import { webhookDelivery } from '../webhook-deliveries/schema.js';
import { disabledReason, webhookEndpoint } from '../webhook-endpoints/schema.js';
import { workOrder } from '../work-orders/schema.js';
import * as examples from './example-records.js';

/** What an event of one type is. */
export interface EventTypeDefinition {
  description: string;
  /** When it happens, as half a sentence. */
  firesWhen: string;
  /** Schema of `data.object`: a record as REST shows it. */
  object: Joi.ObjectSchema;
  /** Schemas of the members beside it in `data`; all of them are always there. */
  extra?: Record<string, Joi.Schema>;
  /** Members of `data` in the example; what is not here is made from its schema. */
  example: Record<string, unknown>;
}

/** Every type of event, each defined once: GET /event-types, the callbacks of OpenAPI and test events are made from it. */
export const CATALOGUE: Readonly<Record<EventType, EventTypeDefinition>> = {
  'invoice.created': {
    description: 'An invoice was created',
    firesWhen: 'an invoice is created, by hand, by an agent or from a job',
    object: invoice,
    example: { object: examples.draftInvoice },
  },
  'invoice.sent': {
    description: 'An invoice was sent to its customer',
    firesWhen: 'the invoice is emailed or texted to the customer: the mail server has accepted the message',
    object: invoice,
    example: { object: examples.sentInvoice },
  },
  'invoice.paid': {
    description: 'A payment of an invoice came in, of all or of a part of it',
    firesWhen: 'a full or partial payment is recorded; each payment is an event',
    object: invoice,
    extra: {
      payment,
      fully_paid: Joi.boolean().example(true).description('Nothing is owed any more'),
    },
    example: { object: examples.paidInvoice, payment: examples.payment, fully_paid: true },
  },
  'invoice.overdue': {
    description: 'An invoice is past due',
    firesWhen:
      "the invoice crosses the account's past-due threshold: its due date and the grace days are over",
    object: invoice,
    example: { object: examples.overdueInvoice },
  },
  'work_order.created': {
    description: 'A job was booked',
    firesWhen: 'a new job is booked from any source',
    object: workOrder,
    example: { object: examples.bookedJob },
  },
  'work_order.completed': {
    description: 'A job was completed',
    firesWhen: 'the driver marks the call complete',
    object: workOrder,
    example: { object: examples.completedJob },
  },
  'dispatch.assigned': {
    description: 'A job was given to a truck',
    firesWhen: 'a job is assigned to a specific truck, also to another one than before',
    object: workOrder,
    extra: { truck, driver: driver.allow(null).description('null: the truck has none') },
    example: { object: examples.dispatchedJob, truck: examples.truck, driver: examples.driver },
  },
  'ai.suggestion.created': {
    description: 'Money left behind was found',
    firesWhen: 'the AI flags a missed fee, a denial or an anomaly',
    object: suggestion,
    example: { object: examples.suggestion },
  },
  'endpoint.failing': {
    description: 'A webhook endpoint has only failed for some time',
    firesWhen: 'every delivery to the endpoint has failed for some hours, and again before it is disabled',
    object: webhookEndpoint,
    extra: {
      failing_since: dateTime().description('First failure since the last success'),
      hours: Joi.number().integer().example(24).description('How long it has only failed'),
      disables_at: dateTime().description('When it will be disabled if nothing changes'),
    },
    example: {
      object: examples.failingEndpoint,
      failing_since: examples.FAILING_SINCE,
      disables_at: examples.DISABLES_AT,
    },
  },
  'endpoint.disabled': {
    description: 'A webhook endpoint was disabled and gets nothing any more',
    firesWhen: 'an endpoint has only failed for five days, or its receiver asks for the end',
    object: webhookEndpoint,
    extra: {
      reason: disabledReason,
    },
    example: { object: examples.disabledEndpoint, reason: 'failing' },
  },
  'endpoint.recovered': {
    description: 'A webhook endpoint works again',
    firesWhen: 'an endpoint takes a delivery after it was told to be failing, or was disabled for it',
    object: webhookEndpoint,
    extra: { was_disabled: Joi.boolean().example(false) },
    example: { object: examples.endpoint },
  },
  'delivery.exhausted': {
    description: 'A delivery used up all its attempts',
    firesWhen: 'the last attempt of a delivery fails; several of one endpoint are told together',
    object: webhookDelivery,
    extra: {
      endpoint: Joi.object({
        id: uuid().required(),
        url: Joi.string().required().example('https://example.com/hooks'),
      }),
      exhausted_count: Joi.number().integer().min(1).example(1).description('Since this was last told'),
    },
    example: {
      object: examples.exhaustedDelivery,
      endpoint: { id: examples.endpoint.id, url: examples.endpoint.url },
    },
  },
  'export.completed': {
    description: 'An export is ready to be downloaded',
    firesWhen: 'the file of an export is whole; GET /exports/{id} makes a link to it',
    object: exportRecord,
    example: { object: examples.completedExport },
  },
};
