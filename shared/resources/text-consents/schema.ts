import Joi from 'joi';
import { cursor, limit, text } from '../../contracts/schemas/fields.js';
import { consentSource, consentState, textConsentFields } from './fields.js';

export { consentSource, consentState };

export const textConsent = textConsentFields.response.meta({ className: 'TextConsent' });

export const textConsentCreate = Joi.object(textConsentFields.creation).meta({
  className: 'TextConsentCreate',
});

export const textConsentListQuery = Joi.object({
  number: text(32).description('Compared by its last ten digits'),
  state: consentState,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'TextConsentListQuery' });
