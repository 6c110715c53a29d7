import { text } from '../../contracts/schemas/fields.js';
import { optionalMultilineText, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

export const yardFields = defineFields({
  id: recordId(),
  name: { input: text(200).example('North yard'), isRequired: true, columns: 'text' },
  address: optionalMultilineText(500),
  created_at: time(),
  updated_at: time(),
});
