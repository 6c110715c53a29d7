import Joi from 'joi';
import { cursor, integer, limit } from '../../contracts/schemas/fields.js';
import { webhookEndpointFields } from './fields.js';

export { disabledReason, endpointState } from './fields.js';

export const webhookEndpointCreate = Joi.object(webhookEndpointFields.creation).meta({
  className: 'WebhookEndpointCreate',
});

export const webhookEndpointPatch = Joi.object(webhookEndpointFields.change).meta({
  className: 'WebhookEndpointPatch',
});

export const webhookEndpointRotate = Joi.object({
  overlap_hours: integer(0, 168)
    .default(24)
    .description('How long the old secret signs beside the new one; 0 deletes it immediately'),
}).meta({ className: 'WebhookEndpointRotate' });

export const webhookEndpointDelete = Joi.object({}).meta({ className: 'WebhookEndpointRevoke' });

export const webhookEndpoint = webhookEndpointFields.response.meta({ className: 'WebhookEndpoint' });

export const webhookEndpointWithSecret = webhookEndpointFields.response
  .keys({
    secret: Joi.string()
      .required()
      .allow(null)
      .example('whsec_…')
      .description('The secret that signs deliveries (v1), shown in this response only; null in a dry run'),
  })
  .meta({ className: 'WebhookEndpointWithSecret' });

export const webhookEndpointListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'WebhookEndpointListQuery',
});
