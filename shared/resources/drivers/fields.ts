import Joi from 'joi';
import { driverStatus, dutyClass } from '../../contracts/enums.js';
import { text } from '../../contracts/schemas/fields.js';
import { DUTY_CLASSES } from '../../contracts/vocabulary.js';
import { optionalText, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

const dutyClasses = () => Joi.array().items(dutyClass);

export const driverFields = defineFields({
  id: recordId(),
  name: { input: text(200).example('Sam Rivera'), isRequired: true, columns: 'text', freeText: true },
  phone: optionalText(32, { input: text(32).allow(null).example('+1 212 555 0100'), freeText: true }),
  duty_classes: {
    input: dutyClasses()
      .unique()
      .max(DUTY_CLASSES.length)
      .description('Classes of trucks that the driver may drive'),
    output: dutyClasses(),
    columns: 'text[]',
    csv: [{ name: 'duty_classes', kind: 'plain', sql: (alias) => `to_json(${alias}.duty_classes)` }],
  },
  status: { input: driverStatus, columns: 'text' },
  created_at: time(),
  updated_at: time(),
});
