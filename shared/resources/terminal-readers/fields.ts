import Joi from 'joi';
import { uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { terminalReaderStatus } from './vocabulary.js';

export const terminalReaderFields = defineFields({
  id: recordId(),
  connection_id: {
    output: uuid().allow(null).description('null for the reader of a sandbox that pretends payments'),
  },
  label: { output: Joi.string().example('Front desk') },
  device_type: { output: Joi.string().allow(null).example('bbpos_wisepos_e') },
  status: { output: terminalReaderStatus },
  created_at: time(),
  updated_at: time(),
});
