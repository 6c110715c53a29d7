import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import { multilineText, strictBoolean } from '../../contracts/schemas/fields.js';
import { time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { DEFAULT_TEXTS, JOB_PLACEHOLDERS, TEMPLATE_KEYS } from './vocabulary.js';

export const templateKey = namedEnum('MessageTemplateKey', TEMPLATE_KEYS, {
  assigned: 'To the motorist, when a truck is assigned',
  en_route: 'To the motorist, when the driver is on the way',
  on_scene: 'To the motorist, when the driver has arrived',
  completed: 'To the motorist, when the job is done',
  driver_link: 'To the driver, when a job is assigned',
});

const NAMES = JOB_PLACEHOLDERS.map((name) => `{${name}}`).join(', ');

export const messageTemplateFields = defineFields({
  key: { output: templateKey },
  text: {
    input: multilineText(640).example(DEFAULT_TEXTS.on_scene).description(`May contain ${NAMES}`),
    output: Joi.string(),
    columns: 'text',
  },
  enabled: {
    input: strictBoolean().description('False: the text is not sent'),
    output: Joi.boolean(),
    columns: 'boolean',
  },
  created_at: time(),
  updated_at: time(),
});
