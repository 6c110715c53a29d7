import Joi from 'joi';
import {
  DRIVERS_STREAM,
  POSITIONS_STREAM,
  telematicsSettings,
  VEHICLES_STREAM,
} from '../contract/telematics.js';
import type { Manifest } from '../contract/vendor.js';

export const manifest: Manifest = {
  vendor: 'samsara',
  kind: 'telematics',
  label: 'Samsara',
  auth: 'api_key',
  credentialsSchema: Joi.object({
    api_token: Joi.string()
      .max(255)
      // The token becomes a part of a header.
      .pattern(/^[!-~]+$/, 'API token')
      .required()
      .description(
        'An API token (samsara_api_…) that may read vehicles, drivers, vehicle statistics, DVIRs and defect types',
      ),
    webhook_secret: Joi.string()
      .max(255)
      // A shorter one has fewer than 16 bytes, and could be guessed.
      .pattern(/^[A-Za-z0-9+/]{22,}={0,2}$/, 'secret key in base64')
      .description('The secret key of the webhook, as Samsara shows it'),
  }),
  settingsSchema: Joi.object(telematicsSettings()),
  docsUrl: 'https://developers.samsara.com/docs/authentication',
  // Samsara has no webhook for positions, so the worker polls them. Webhooks report new vehicles,
  // new drivers and inspections at once; the regular pulls find lost webhooks.
  streams: { [VEHICLES_STREAM]: 3600, [DRIVERS_STREAM]: 3600, [POSITIONS_STREAM]: 30, inspections: 300 },
  // Samsara allows 150 calls per second of a token. The lowest of its limits for the endpoints that
  // are called here is 5 per second.
  limits: { perSecond: 5, timeoutMs: 15_000 },
};
