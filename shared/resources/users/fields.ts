import { role } from '../../contracts/enums.js';
import { dateTime, email, password, text } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

const address = (example = 'dana@hudson-towing.example') => email().example(example, { override: true });
const MIN_PASSWORD = 12;

/**
 * Requires a minimum length but no character classes, because length matters more (NIST SP 800-63B,
 * 3.1.1.2).
 */
export const newPassword = () =>
  password()
    .min(MIN_PASSWORD)
    // Count an emoji as one character, as `minLength` in the OpenAPI document does. Joi counts an
    // emoji as two.
    .custom((value: string, helpers) =>
      value.length >= MIN_PASSWORD && [...value].length < MIN_PASSWORD
        ? helpers.error('string.min', { limit: MIN_PASSWORD })
        : value,
    );

export const userFields = defineFields({
  id: recordId(),
  name: { input: text(100).example('Dana Whitfield'), isRequired: true, columns: 'text' },
  email: {
    input: address(),
    changeInput: address('dana.whitfield@hudson-towing.example'),
    isRequired: true,
    columns: 'text',
  },
  // No response shows the password, and the table has only its hash.
  password: {
    input: newPassword().description('Omitted: the person cannot sign in until one is set'),
    changeInput: newPassword().description('A new password ends all sessions of the person'),
    output: null,
    columns: null,
  },
  created_at: time(),
  updated_at: time(),
  deactivated_at: time(dateTime().allow(null).description('From then on the person cannot sign in')),
  role: {
    input: role.description('What the person may do; admin if omitted').example('dispatcher'),
    output: role,
    columns: 'text',
  },
});
