import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS } from '../../billing/money.js';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  cents,
  dateTime,
  integer,
  slug,
  text,
  uuid,
  webUrl,
} from '../../contracts/schemas/fields.js';
import { optionalText, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
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

export const evidence = allRequired({
  kind: Joi.string().example('photo'),
  url: Joi.string().example('https://files.example.com/photo.jpg'),
  note: Joi.string().allow(null),
}).meta({ className: 'Evidence' });

const nullableText = () => Joi.string().allow(null);
const expectedCents = () => integer(0, MAX_INVOICE_TOTAL_CENTS).example(12_500);

export const claimFields = defineFields({
  id: recordId(),
  invoice_id: { input: uuid(), setBy: 'create', isRequired: true, columns: 'uuid' },
  club: {
    input: text(200).example('Interstate Motor Club'),
    isRequired: true,
    output: Joi.string().example('Interstate Motor Club'),
    columns: 'text',
  },
  provider_id: optionalText(64, {
    input: text(64)
      .allow(null)
      .example('P-20417')
      .description("The tow company's provider number with the club"),
  }),
  po_number: optionalText(64, { input: text(64).allow(null).example('PO-88213'), freeText: true }),
  status: { output: claimStatus },
  status_reason: { output: nullableText() },
  attempt: {
    output: Joi.number()
      .integer()
      .min(0)
      .max(MAX_CLAIM_ATTEMPTS)
      .example(1)
      .description(`How many times the claim was sent, at most ${MAX_CLAIM_ATTEMPTS}`),
  },
  submitted_at: time(dateTime().allow(null)),
  submit_by: time(
    dateTime().description('60 days after the service. A claim that is still queued then expires'),
  ),
  respond_by: time(
    dateTime()
      .allow(null)
      .description('30 days after a denial. A claim that is not billed again by then expires'),
  ),
  denial_code: { output: nullableText() },
  denial_reason: { output: nullableText() },
  expected_cents: {
    input: expectedCents().description("Default: the invoice's balance"),
    changeInput: expectedCents(),
    output: cents(),
    columns: 'bigint',
  },
  paid_cents: { output: cents().example(0) },
  evidence: {
    input: Joi.array().items(evidenceInput).max(MAX_EVIDENCE),
    output: Joi.array().items(evidence),
    columns: 'jsonb',
    freeText: ['note'],
  },
  created_at: time(),
  updated_at: time(),
  invoice_number: { columns: null, csv: 'text' },
  connection_id: {
    output: uuid()
      .allow(null)
      .description('The billing partner to which the claim is sent; null: people send it themselves'),
  },
});
