import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS } from '../../billing/money.js';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  cents,
  cursor,
  dateTime,
  integer,
  limit,
  multilineText,
  slug,
  text,
  uuid,
  webUrl,
} from '../../contracts/schemas/fields.js';
import { DENIAL_CODES } from './denial-rules.js';
import { CLAIM_STATUSES, MAX_CLAIM_ATTEMPTS } from './transitions.js';

const MAX_EVIDENCE = 50;
const EVIDENCE_KINDS = ['photo', 'document', 'note'];

export const claimStatus = namedEnum('ClaimStatus', CLAIM_STATUSES, {
  queued: 'Created and not sent yet. It expires at `submit_by`',
  submitted: 'Sent to the club, which has not responded yet',
  accepted: 'The club accepted it and has not paid yet',
  paid: 'The club paid what was expected',
  denied: 'The club denied it. It expires at `respond_by` unless it is billed again',
  rebilling: 'Being corrected after a denial, to be sent again',
  short_paid: 'The club paid less than was expected',
  expired: 'Its deadline has passed',
  withdrawn: 'The tow company took it back',
});

export const clubAnswer = namedEnum('ClubAnswer', ['accepted', 'denied', 'paid'], {
  accepted: 'The club will pay the claim',
  denied: 'The club denies the claim; `code` and `reason` say why',
  paid: 'The club paid; `amount_cents` is required',
});

export const evidenceInput = Joi.object({
  kind: slug(EVIDENCE_KINDS).required(),
  url: webUrl().required(),
  note: text(500).allow(null).default(null).example('Before hook-up'),
}).meta({ className: 'EvidenceInput' });

const claimKeys = () => ({
  provider_id: text(64)
    .allow(null)
    .example('P-20417')
    .description("The tow company's provider number with the club"),
  po_number: text(64).allow(null).example('PO-88213'),
  evidence: Joi.array().items(evidenceInput).max(MAX_EVIDENCE),
});

export const claimCreate = Joi.object({
  invoice_id: uuid().required(),
  club: text(200).required().example('Interstate Motor Club'),
  ...claimKeys(),
  expected_cents: integer(0, MAX_INVOICE_TOTAL_CENTS)
    .example(12_500)
    .description("Default: the invoice's balance"),
}).meta({ className: 'ClaimCreate' });

export const claimPatch = Joi.object({
  club: text(200).example('Interstate Motor Club'),
  ...claimKeys(),
  expected_cents: integer(0, MAX_INVOICE_TOTAL_CENTS).example(12_500),
}).meta({ className: 'ClaimPatch' });

/** The body of an action without parameters. */
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

export const evidence = allRequired({
  kind: Joi.string().example('photo'),
  url: Joi.string().example('https://files.example.com/photo.jpg'),
  note: Joi.string().allow(null),
}).meta({ className: 'Evidence' });

export const claim = allRequired({
  id: uuid(),
  invoice_id: uuid(),
  club: Joi.string().example('Interstate Motor Club'),
  provider_id: Joi.string().allow(null),
  po_number: Joi.string().allow(null),
  status: claimStatus,
  status_reason: Joi.string().allow(null),
  attempt: Joi.number()
    .integer()
    .min(0)
    .max(MAX_CLAIM_ATTEMPTS)
    .example(1)
    .description(`How many times the claim was sent, at most ${MAX_CLAIM_ATTEMPTS}`),
  submitted_at: dateTime().allow(null),
  submit_by: dateTime().description('60 days after the service. A claim that is still queued then expires'),
  respond_by: dateTime()
    .allow(null)
    .description('30 days after a denial. A claim that is not billed again by then expires'),
  denial_code: Joi.string().allow(null),
  denial_reason: Joi.string().allow(null),
  expected_cents: cents(),
  paid_cents: cents().example(0),
  evidence: Joi.array().items(evidence),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'Claim' });

export const claimListQuery = Joi.object({
  status: claimStatus,
  invoice_id: uuid(),
  search: text(100).description('Part of club or po_number'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ClaimListQuery' });
