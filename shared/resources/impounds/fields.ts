import Joi from 'joi';
import { MAX_UNIT_PRICE_CENTS } from '../../billing/money.js';
import { invoicedDays, startedDays } from '../../billing/storage-days.js';
import { cents, dateTime, integer, text, uuid, vin } from '../../contracts/schemas/fields.js';
import { columnGroup } from '../../records/fields/column-group.js';
import {
  optionalMultilineText,
  optionalReference,
  optionalText,
  recordId,
  time,
} from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { customerTable } from '../customers/table.js';
import { workOrderTable } from '../work-orders/table.js';
import { impoundStatus, patchableImpoundStatus, releaseKind } from './enums.js';

const nullableText = () => Joi.string().allow(null);
const dayCount = () => Joi.number().integer().min(0).example(3);

export const vehicle = columnGroup('vehicle', {
  vin: optionalText(17, { input: vin().allow(null), freeText: true }),
  plate: optionalText(20, { input: text(20).allow(null).example('ABC 1234'), freeText: true }),
  make: optionalText(100, { input: text(100).allow(null).example('Honda'), freeText: true }),
  model: optionalText(100, { input: text(100).allow(null).example('Accord'), freeText: true }),
  year: {
    input: integer(1900, 2200).allow(null).example(2019),
    output: Joi.number().integer().allow(null),
    columns: 'integer',
  },
  color: optionalText(50, { input: text(50).allow(null).example('silver') }),
});

export const impoundFields = defineFields({
  id: recordId(),
  status: {
    input: patchableImpoundStatus.description('Must be an allowed transition. disposed ends storage'),
    setBy: 'change',
    output: impoundStatus,
  },
  work_order_id: optionalReference(workOrderTable, {
    input: uuid()
      .allow(null)
      .description(
        'The work order that brought the vehicle in. It supplies customer and vehicle if the request omits them',
      ),
    setBy: 'create',
  }),
  customer_id: optionalReference(customerTable, {
    input: uuid().allow(null).description('The customer to bill'),
  }),
  vehicle,
  lot: optionalText(100, { input: text(100).allow(null).example('North yard') }),
  spot: optionalText(32, { input: text(32).allow(null).example('B-14') }),
  hold_reason: {
    input: text(500)
      .description('Why the new impound is on hold. Omit it to create the impound without a hold')
      .example('Police hold, case 4711'),
    setBy: 'create',
    output: nullableText(),
    columns: 'text',
  },
  impounded_at: {
    input: dateTime().description('Default: now. Must not be in the future').example('2026-11-01T14:30:00Z'),
    setBy: 'create',
    output: dateTime(),
    columns: 'timestamptz',
  },
  released_at: time(dateTime().allow(null)),
  release_kind: { output: releaseKind.allow(null) },
  released_to: { output: nullableText() },
  daily_rate_cents: {
    input: integer(0, MAX_UNIT_PRICE_CENTS)
      .description("Rate for the whole stay. Default: the rate card's storage item priced by the day")
      .example(4500),
    setBy: 'create',
    output: cents().example(4500),
    columns: 'bigint',
  },
  free_days: {
    input: integer(0, 3650)
      .description('Number of first days without charge. Default: included_quantity of that item')
      .example(0),
    setBy: 'create',
    output: dayCount().example(0),
    columns: 'integer',
  },
  days: {
    output: dayCount().description(
      "Calendar days in the yard, in the account's time zone. A started day counts",
    ),
    sql: (alias) => {
      const days = startedDays(alias, {
        until: `coalesce(${alias}.released_at, now())`,
        zone: 'z.time_zone',
      });
      return `(select ${days} from tenants z where z.tenant_id = ${alias}.tenant_id)`;
    },
    columns: null,
  },
  accrued_days: {
    output: dayCount().description('Days charged so far, without the free days, as of the last accrual'),
  },
  storage_cents: { output: cents().example(13_500).description('accrued_days × daily_rate_cents') },
  invoiced_days: {
    output: dayCount()
      .example(0)
      .description("Days of storage on the work order's invoices, except void and cancelled ones"),
    sql: invoicedDays,
    columns: null,
  },
  unbilled_days: {
    output: dayCount().description(
      'accrued_days that are not invoiced yet. 0 after a release with kind no_charge',
    ),
    sql: (alias) =>
      `case when ${alias}.release_kind = 'no_charge' then 0 else greatest(0, ${alias}.accrued_days - ${invoicedDays(alias)}) end`,
    columns: null,
  },
  notes: optionalMultilineText(5000, { freeText: true }),
  created_at: time(),
  updated_at: time(),
  job_number: { columns: null, csv: 'text' },
  customer_name: { columns: null, csv: 'text' },
});
