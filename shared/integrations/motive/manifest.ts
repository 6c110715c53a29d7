import Joi from 'joi';
import {
  DRIVERS_STREAM,
  POSITIONS_STREAM,
  telematicsSettings,
  VEHICLES_STREAM,
} from '../contract/telematics.js';
import type { Manifest } from '../contract/vendor.js';

export const manifest: Manifest = {
  vendor: 'motive',
  kind: 'telematics',
  label: 'Motive',
  auth: 'api_key',
  credentialsSchema: Joi.object({
    api_key: Joi.string()
      .max(255)
      // The key becomes a header.
      .pattern(/^[!-~]+$/, 'API key')
      .required()
      .description(
        'An API key that may read the company, vehicles, their locations, users and inspection reports',
      ),
    webhook_secret: Joi.string()
      .max(255)
      // Motive wants 20 characters. A shorter one could be guessed.
      .pattern(/^[!-~]{20,}$/, 'secret of 20 characters')
      .description('The secret of the webhook: 20 characters, which you choose and also enter at Motive'),
  }),
  settingsSchema: Joi.object(telematicsSettings()),
  docsUrl: 'https://developer.gomotive.com/reference/authentication',
  // The worker polls the positions. Webhooks report changed vehicles, drivers and inspections at
  // once; the regular pulls find lost webhooks.
  streams: { [VEHICLES_STREAM]: 3600, [DRIVERS_STREAM]: 3600, [POSITIONS_STREAM]: 30, inspections: 300 },
  // Motive publishes no limits. Its 429 is obeyed.
  limits: { perSecond: 5, timeoutMs: 15_000 },
};
