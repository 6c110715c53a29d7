import Joi from 'joi';
import { MAX_UNIT_PRICE_CENTS } from '../../billing/money.js';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  cents,
  cursor,
  dateTime,
  integer,
  limit,
  multilineText,
  text,
  uuid,
  vin,
} from '../../contracts/schemas/fields.js';
import { IMPOUND_STATUSES, PATCHABLE_IMPOUND_STATUSES, RELEASE_KINDS } from './transitions.js';

const STATUS_MEANINGS = {
  stored: 'In the yard',
  hold: 'In the yard, and may not leave until the hold ends',
  pending_release: 'In the yard, and about to be picked up',
  released: 'Has left the yard. Storage has ended',
  lien: 'In the yard, with a lien for unpaid storage under way',
  auction: 'In the yard, to be sold at auction',
  disposed: 'Sold or scrapped. Storage has ended',
};

export const impoundStatus = namedEnum('ImpoundStatus', IMPOUND_STATUSES, STATUS_MEANINGS);

export const patchableImpoundStatus = namedEnum(
  'PatchableImpoundStatus',
  PATCHABLE_IMPOUND_STATUSES,
  STATUS_MEANINGS,
);

export const releaseKind = namedEnum('ReleaseKind', RELEASE_KINDS, {
  owner: 'To its owner',
  insurance: 'To an insurance company',
  lienholder: 'To the lender that holds the title',
  no_charge: 'Without a charge: storage that is not invoiced yet is waived',
  surrendered: 'The owner gave up the vehicle',
  junked: 'To a scrap yard',
  bill_account: 'To be billed to the customer account',
});
const dayCount = () => Joi.number().integer().min(0).example(3);

const vehicleInput = () =>
  Joi.object({
    vin: vin().allow(null),
    plate: text(20).allow(null).example('ABC 1234'),
    make: text(100).allow(null).example('Honda'),
    model: text(100).allow(null).example('Accord'),
    year: integer(1900, 2200).allow(null).example(2019),
    color: text(50).allow(null).example('silver'),
  }).allow(null);

const clientFields = () => ({
  customer_id: uuid().allow(null).description('The customer to bill'),
  vehicle: vehicleInput(),
  lot: text(100).allow(null).example('North yard'),
  spot: text(32).allow(null).example('B-14'),
  notes: multilineText(5000).allow(null),
});

export const impoundCreate = Joi.object({
  work_order_id: uuid()
    .allow(null)
    .description(
      'The work order that brought the vehicle in. It supplies customer and vehicle if the request omits them',
    ),
  ...clientFields(),
  impounded_at: dateTime()
    .description('Default: now. Must not be in the future')
    .example('2026-11-01T14:30:00Z'),
  daily_rate_cents: integer(0, MAX_UNIT_PRICE_CENTS)
    .description("Rate for the whole stay. Default: the rate card's storage item priced by the day")
    .example(4500),
  free_days: integer(0, 3650)
    .description('Number of first days without charge. Default: included_quantity of that item')
    .example(0),
  hold_reason: text(500)
    .description('Why the new impound is on hold. Omit it to create the impound without a hold')
    .example('Police hold, case 4711'),
}).meta({ className: 'ImpoundCreate' });

export const impoundPatch = Joi.object({
  ...clientFields(),
  status: patchableImpoundStatus.description('Must be an allowed transition. disposed ends storage'),
}).meta({ className: 'ImpoundPatch' });

/** The body of an action without parameters. */
export const impoundAction = Joi.object({}).meta({ className: 'ImpoundAction' });

export const impoundHold = Joi.object({
  reason: text(500).required().example('Police hold, case 4711'),
}).meta({ className: 'ImpoundHold' });

export const impoundRelease = Joi.object({
  kind: releaseKind.required().description('no_charge: storage that is not invoiced yet is waived'),
  released_to: text(200).allow(null).example('Jane Roe'),
  at: dateTime().description('Default: now. Must not be in the future'),
}).meta({ className: 'ImpoundRelease' });

export const impound = allRequired({
  id: uuid(),
  status: impoundStatus,
  work_order_id: uuid().allow(null),
  customer_id: uuid().allow(null),
  vehicle: allRequired({
    vin: Joi.string().allow(null),
    plate: Joi.string().allow(null),
    make: Joi.string().allow(null),
    model: Joi.string().allow(null),
    year: Joi.number().integer().allow(null),
    color: Joi.string().allow(null),
  }),
  lot: Joi.string().allow(null),
  spot: Joi.string().allow(null),
  hold_reason: Joi.string().allow(null),
  impounded_at: dateTime(),
  released_at: dateTime().allow(null),
  release_kind: releaseKind.allow(null),
  released_to: Joi.string().allow(null),
  daily_rate_cents: cents().example(4500),
  free_days: dayCount().example(0),
  days: dayCount().description("Calendar days in the yard, in the account's time zone. A started day counts"),
  accrued_days: dayCount().description('Days charged so far, without the free days, as of the last accrual'),
  storage_cents: cents().example(13_500).description('accrued_days × daily_rate_cents'),
  invoiced_days: dayCount()
    .example(0)
    .description("Days of storage on the work order's invoices, except void and cancelled ones"),
  unbilled_days: dayCount().description(
    'accrued_days that are not invoiced yet. 0 after a release with kind no_charge',
  ),
  notes: Joi.string().allow(null),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'Impound' });

export const impoundListQuery = Joi.object({
  status: impoundStatus,
  work_order_id: uuid(),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ImpoundListQuery' });
