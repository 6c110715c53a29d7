import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import { text } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

export const consentState = namedEnum('ConsentState', ['opted_in', 'opted_out'], {
  opted_in: 'The number accepts texts again',
  opted_out: 'The number asked for no more texts, and gets none',
});

export const consentSource = namedEnum('ConsentSource', ['text', 'vendor', 'person'], {
  text: 'The number sent STOP or START',
  vendor: 'The vendor refused a text, because the number had opted out there',
  person: 'A person of the account recorded it',
});

export const textConsentFields = defineFields({
  id: recordId(),
  number: {
    input: text(32).example('+15185550123'),
    output: Joi.string().example('+15185550123'),
    setBy: 'create',
    isRequired: true,
    columns: 'text',
  },
  state: { input: consentState, isRequired: true, columns: 'text' },
  source: { output: consentSource },
  created_at: time(),
  updated_at: time(),
});
