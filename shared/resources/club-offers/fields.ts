import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS } from '../../billing/money.js';
import { cents, dateTime, integer, slug, text, uuid, vin } from '../../contracts/schemas/fields.js';
import { SERVICE_TYPES } from '../../contracts/vocabulary.js';
import { optionalMultilineText, optionalText, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { pickup, vehicle } from '../work-orders/fields.js';
import { clubOfferStatus, clubProgress, refusalReason, withdrawalReason } from './enums.js';
import { DEFAULT_RESPONSE_SECONDS, RESPONSE_SECONDS } from './limits.js';

const nullableText = () => Joi.string().allow(null);

/** The fields of an offer. The club reads them too, so none may show other data of the account. */
export const clubOfferFields = defineFields({
  id: recordId(),
  club_id: { output: uuid().description("The club: the id of its first API key, as that key's club_id") },
  club: {
    output: Joi.string().example('Interstate Motor Club').description("The name of the club's key"),
  },
  reference: {
    input: text(64)
      .example('IMC-2026-118834')
      .description("The club's own id of the job. Each reference of a club is offered once"),
    isRequired: true,
    output: Joi.string().example('IMC-2026-118834'),
    columns: 'text',
  },
  status: { output: clubOfferStatus },
  service_type: { input: slug(SERVICE_TYPES), isRequired: true, columns: 'text' },
  pickup_location: optionalMultilineText(500),
  pickup,
  dropoff_location: optionalMultilineText(500),
  vehicle,
  vin: optionalText(17, { input: vin().allow(null) }),
  contact_name: optionalText(200, {
    input: text(200).allow(null).example('Ann Lee').description('The motorist'),
  }),
  contact_phone: optionalText(32),
  notes: optionalMultilineText(4000),
  po_number: optionalText(64, { input: text(64).allow(null).example('PO-88213') }),
  offered_cents: {
    input: integer(0, MAX_INVOICE_TOTAL_CENTS)
      .allow(null)
      .example(8500)
      .description('What the club pays for the job'),
    output: cents().allow(null),
    columns: 'bigint',
  },
  respond_by: {
    input: dateTime().description(
      `When the offer expires. Default: ${DEFAULT_RESPONSE_SECONDS} s after it was received; ${RESPONSE_SECONDS.min} s to an hour are possible`,
    ),
    output: dateTime(),
    columns: 'timestamptz',
  },
  answered_at: time(dateTime().allow(null).description('When it was accepted or refused, or expired')),
  eta: time(dateTime().allow(null).description('When the truck arrives, as promised last')),
  refusal_reason: { output: refusalReason.allow(null) },
  refusal_note: { output: nullableText().description('For the club') },
  withdrawal_reason: { output: withdrawalReason.allow(null) },
  withdrawal_note: { output: nullableText() },
  customer_id: { output: uuid().allow(null).description('The customer that is billed') },
  work_order_id: { output: uuid().allow(null).description('The work order, once accepted') },
  progress: { output: clubProgress.allow(null).description('How far the job is, once accepted') },
  created_at: time(),
  updated_at: time(),
});
