import Joi from 'joi';

// To be switched to the schemas of the resources webhook_endpoint and webhook_delivery; nothing else knows that they are open here.
/** The object of events about a webhook endpoint. */
export const endpointObject = Joi.object({}).unknown().description('The webhook endpoint as REST shows it');
/** The object of events about a delivery. */
export const deliveryObject = Joi.object({}).unknown().description('The webhook delivery as REST shows it');
