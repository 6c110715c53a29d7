import Joi from 'joi';
import { cursor, limit, multilineText, slug, uuid } from '../../contracts/schemas/fields.js';
import { DETECTORS } from './detectors/catalogue.js';
import { suggestionEntity, suggestionKind, suggestionStatus } from './enums.js';
import { proposedLine, suggestionFields } from './fields.js';

export { proposedLine, suggestionEntity, suggestionKind, suggestionStatus };

export const suggestionAccept = Joi.object({}).meta({ className: 'SuggestionAccept' });

export const suggestionDismiss = Joi.object({
  reason: multilineText(500).allow(null).example('This account has free fuel').description('Stored as note'),
}).meta({ className: 'SuggestionDismiss' });

export const suggestion = suggestionFields.response.meta({ className: 'Suggestion' });

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
