import Joi from 'joi';
import { messageTemplateFields, templateKey } from './fields.js';

export { templateKey };

export const messageTemplate = messageTemplateFields.response.meta({ className: 'MessageTemplate' });

export const messageTemplatePatch = Joi.object(messageTemplateFields.change).meta({
  className: 'MessageTemplatePatch',
});
