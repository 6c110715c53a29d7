import Joi from 'joi';
import { aging } from '../../billing/aging.js';
import { invoiceStatus } from '../../contracts/enums.js';
import { allRequired, cents, dateTime, strictBoolean } from '../../contracts/schemas/fields.js';
import { webhookDelivery } from '../webhook-deliveries/schema.js';
import { MAX_AGED, MAX_COUNTED, MAX_COUNTED_OF_HOUR, MAX_FAILURES, MAX_SAMPLED_OF_HOUR } from './limits.js';

const count = (example = 3) => Joi.number().integer().min(0).example(example);
const milliseconds = (example: number) => count(example).allow(null);

const invoicesOfStatus = allRequired({
  status: invoiceStatus,
  count: count(),
  total_cents: cents(),
  has_more: strictBoolean().description(`There may be more. Only the newest ${MAX_COUNTED} are counted`),
});

export const overviewHour = allRequired({
  hour: dateTime().description("Start of the hour in the account's time zone"),
  work_orders: count().description('Created in this hour'),
  deliveries_succeeded: count(),
  deliveries_failed: count(0).description('With the status failed or exhausted'),
  attempts_p50_ms: milliseconds(41).description('Median duration of the attempts; null: there were none'),
  attempts_p95_ms: milliseconds(180).description('95 of 100 attempts were as fast as this'),
}).meta({ className: 'OverviewHour' });

const done = (description: string) => strictBoolean().example(true).description(description);

export const overviewFirstSteps = allRequired({
  api_key_created: done('An API key was created'),
  api_key_used: done('A request with an API key has arrived'),
  agent_key_created: done('An agent key was created'),
  agent_key_used: done('A request with an agent key has arrived'),
  webhook_endpoint_created: done('A webhook endpoint was created'),
  webhook_delivered: done('An endpoint has answered a delivery with 2xx'),
  truck_created: done('A truck was added'),
  work_order_created: done('A work order was created'),
  invoice_created: done('An invoice was created'),
  payment_recorded: done('A payment was recorded'),
  export_created: done('An export was created'),
  approval_decided: done('A person has approved or rejected a request'),
}).meta({ className: 'OverviewFirstSteps' });

/** The data of the dashboard's first screen, in one response. */
export const overview = allRequired({
  generated_at: dateTime(),
  work_orders: allRequired({
    open: count(4).description(`Neither completed nor cancelled; at most ${MAX_COUNTED} of each status`),
    unassigned: count(1).description('Those that wait for a truck'),
  }),
  invoices: allRequired({
    by_status: Joi.array().items(invoicesOfStatus).description('One item for each status'),
    overdue_count: count(2),
    overdue_cents: cents().description('Open amounts of the overdue invoices'),
    aging,
  }).description(`The open amounts are those of at most ${MAX_AGED} invoices`),
  hours: Joi.array()
    .items(overviewHour)
    .max(24)
    .description(
      `The current hour and the 23 before it, oldest first. At most ${MAX_COUNTED_OF_HOUR} records of an hour are counted, ` +
        `and the durations come from at most ${MAX_SAMPLED_OF_HOUR} of its attempts`,
    ),
  delivery_success_rate: Joi.number()
    .min(0)
    .max(1)
    .allow(null)
    .example(0.98)
    .description('Share of the deliveries in `hours` that succeeded; null: none has ended or failed'),
  last_failures: Joi.array()
    .items(webhookDelivery)
    .max(MAX_FAILURES)
    .description('The newest failed or exhausted deliveries'),
  first_steps: overviewFirstSteps.description('What the account has done at least once'),
}).meta({ className: 'Overview' });
