import Joi from 'joi';
import { allRequired, cents, dateTime, slug, uuid } from '../../contracts/schemas/fields.js';
import { LINE_ITEM_CATEGORIES, UNIT_TYPES } from '../../contracts/vocabulary.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { DETECTORS } from './detectors/catalogue.js';
import { suggestionEntity, suggestionKind, suggestionStatus } from './enums.js';

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

export const suggestionFields = defineFields({
  id: recordId(),
  kind: { output: suggestionKind },
  detector: {
    output: slug(Object.keys(DETECTORS)).description('The rule that found it; more may be added'),
  },
  entity_type: { output: suggestionEntity },
  entity_id: { output: uuid().description('The record that it is about') },
  invoice_id: {
    output: uuid().allow(null).description('The invoice that gets the proposed lines on acceptance'),
  },
  title: { output: Joi.string().example('Mileage was not billed') },
  rationale: {
    output: Joi.string()
      .example(
        '9 of 10 comparable light_duty_tow jobs of 10 to 25 miles were billed mileage, median $42.00; this one was not.',
      )
      .description('The reason, with the numbers'),
  },
  amount_cents: { output: cents().description('The amount at stake, before tax') },
  confidence: {
    output: Joi.number().min(0).max(1).example(0.83).description('0 to 1, with two decimals at most'),
  },
  proposed_lines: {
    output: Joi.array().items(proposedLine).description('Empty when no line item is missing'),
    freeText: ['name', 'description'],
  },
  status: { output: suggestionStatus },
  decided_by: {
    output: allRequired({
      type: Joi.string().example('api_key'),
      id: uuid().allow(null),
      name: Joi.string().allow(null),
    })
      .allow(null)
      .description('The person or API key that accepted or dismissed it'),
    freeText: ['name'],
  },
  decided_at: time(dateTime().allow(null)),
  note: { output: Joi.string().allow(null), freeText: true },
  created_at: time(),
  updated_at: time(),
});
