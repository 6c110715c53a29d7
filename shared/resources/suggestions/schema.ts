import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  cents,
  cursor,
  dateTime,
  limit,
  multilineText,
  slug,
  uuid,
} from '../../contracts/schemas/fields.js';
import { LINE_ITEM_CATEGORIES, UNIT_TYPES } from '../../contracts/vocabulary.js';
import { DETECTORS } from './detectors/catalogue.js';
import { SUGGESTION_ENTITIES, SUGGESTION_KINDS, SUGGESTION_STATUSES } from './detectors/kinds.js';

export const suggestionKind = namedEnum('SuggestionKind', SUGGESTION_KINDS, {
  missed_fee: 'Comparable jobs were billed a fee that this one was not',
  denial: 'A motor club denied a claim, and no automatic rebill applies',
  anomaly: 'An amount, distance or time is unusual, or a record looks like a duplicate',
});

export const suggestionStatus = namedEnum('SuggestionStatus', SUGGESTION_STATUSES, {
  open: 'Waits for a decision',
  accepted: 'Accepted by a person or an API key',
  dismissed: 'Dismissed by a person or an API key',
  expired: 'Its invoice is paid, void or cancelled, or the finding no longer applies',
});

export const suggestionEntity = namedEnum('SuggestionEntity', SUGGESTION_ENTITIES, {
  invoice: 'An invoice',
  work_order: 'A work order',
  claim: 'A motor-club claim',
});

/** The path holds all input. */
export const suggestionAccept = Joi.object({}).meta({ className: 'SuggestionAccept' });

export const suggestionDismiss = Joi.object({
  reason: multilineText(500).allow(null).example('This account has free fuel').description('Stored as note'),
}).meta({ className: 'SuggestionDismiss' });

export const proposedLine = allRequired({
  name: Joi.string().example('Loaded miles'),
  description: Joi.string().allow(null),
  category: slug(LINE_ITEM_CATEGORIES),
  quantity: Joi.number().greater(0).example(1),
  unit_type: slug(UNIT_TYPES),
  unit_price_cents: cents(),
  total_cents: cents(),
  taxable: Joi.boolean(),
}).meta({ className: 'ProposedLine' });

export const suggestion = allRequired({
  id: uuid(),
  kind: suggestionKind,
  detector: slug(Object.keys(DETECTORS)).description('The rule that found it; more may be added'),
  entity_type: suggestionEntity,
  entity_id: uuid().description('The record that it is about'),
  invoice_id: uuid().allow(null).description('The invoice that gets the proposed lines on acceptance'),
  title: Joi.string().example('Mileage was not billed'),
  rationale: Joi.string()
    .example(
      '9 of 10 comparable light_duty_tow jobs of 10 to 25 miles were billed mileage, median $42.00; this one was not.',
    )
    .description('The reason, with the numbers'),
  amount_cents: cents().description('The amount at stake, before tax'),
  confidence: Joi.number().min(0).max(1).example(0.83).description('0 to 1, with two decimals at most'),
  proposed_lines: Joi.array().items(proposedLine).description('Empty when no line item is missing'),
  status: suggestionStatus,
  decided_by: allRequired({
    type: Joi.string().example('api_key'),
    id: uuid().allow(null),
    name: Joi.string().allow(null),
  })
    .allow(null)
    .description('The person or API key that accepted or dismissed it'),
  decided_at: dateTime().allow(null),
  note: Joi.string().allow(null),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'Suggestion' });

export const suggestionListQuery = Joi.object({
  kind: suggestionKind,
  status: suggestionStatus,
  detector: slug(Object.keys(DETECTORS)),
  entity_type: suggestionEntity,
  entity_id: uuid(),
  invoice_id: uuid(),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'SuggestionListQuery' });
