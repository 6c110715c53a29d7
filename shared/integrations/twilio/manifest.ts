import Joi from 'joi';
import { textLimitSettings } from '../contract/text-limits.js';
import type { Manifest } from '../contract/vendor.js';

const phoneNumber = () =>
  Joi.string()
    .pattern(/^\+[1-9]\d{6,14}$/, 'phone number in E.164 form')
    .example('+15185550100');

export const manifest: Manifest = {
  vendor: 'twilio',
  kind: 'messaging',
  label: 'Twilio',
  auth: 'api_key',
  credentialsSchema: Joi.object({
    account_sid: Joi.string()
      .pattern(/^AC[0-9a-fA-F]{32}$/, 'account SID')
      .required()
      .description('The account SID (AC…)'),
    auth_token: Joi.string()
      .max(255)
      .required()
      .description('The auth token. Twilio signs its requests with it'),
  }),
  settingsSchema: Joi.object({
    from_number: phoneNumber().required().description('The number from which texts are sent'),
    messaging_service_sid: Joi.string()
      .pattern(/^MG[0-9a-fA-F]{32}$/, 'messaging service SID')
      .description('The messaging service that sends texts instead of the number'),
    dispatcher_number: phoneNumber().description('The number to which callers are connected'),
    ...textLimitSettings(),
  }),
  docsUrl: 'https://www.twilio.com/docs/messaging',
  // Status callbacks report immediately whether a text was delivered. The hourly pull finds lost
  // callbacks.
  streams: { messages: 3600 },
  // Twilio allows 100 requests a second. Requests may arrive closer together than they left.
  limits: { perSecond: 98, timeoutMs: 15_000 },
};
