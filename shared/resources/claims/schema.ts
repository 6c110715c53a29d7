import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS } from '../../billing/money.js';
import {
  cursor,
  integer,
  limit,
  multilineText,
  oneOrMore,
  slug,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { listedName } from '../../contracts/schemas/listed-name.js';
import { DENIAL_CODES } from './denial-rules.js';
import { claimFields, claimStatus, clubAnswer, evidence, evidenceInput } from './fields.js';

export { claimStatus, clubAnswer, evidence, evidenceInput };

export const claimCreate = Joi.object(claimFields.creation).meta({ className: 'ClaimCreate' });

export const claimPatch = Joi.object(claimFields.change).meta({ className: 'ClaimPatch' });

export const claimAction = Joi.object({}).meta({ className: 'ClaimAction' });

export const claimWithdraw = Joi.object({
  reason: text(500).required().example('The motorist paid'),
}).meta({ className: 'ClaimWithdraw' });

export const claimOutcome = Joi.object({
  outcome: clubAnswer.required().description("The club's response"),
  code: slug(DENIAL_CODES)
    .allow(null)
    .description("The club's code for a denial. The service has advice for each published code"),
  reason: multilineText(2000).allow(null).example('Approved in full').description("The club's own words"),
  amount_cents: integer(1, MAX_INVOICE_TOTAL_CENTS)
    .example(12_500)
    .description('Required for a payment. Less than expected_cents makes the claim short_paid'),
  reference: text(200).allow(null).example('EFT 5521').description('Reference of a payment'),
}).meta({ className: 'ClaimOutcome' });

export const claim = claimFields.response.meta({ className: 'Claim' });

export const claimListItem = claimFields.response
  .keys({ invoice_number: listedName('INV-1001'), customer_name: listedName('Hudson Auto Club') })
  .meta({ className: 'ClaimListItem' });

export const claimListQuery = Joi.object({
  status: claimStatus,
  invoice_id: uuid(),
  search: text(100).description('Part of club or po_number'),
  expand: oneOrMore(['names']).description('names adds invoice_number and customer_name'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ClaimListQuery' });
