import Joi from 'joi';
import { CLAIMS_STREAM, motorClubSettings } from '../contract/motor-club.js';
import type { Manifest } from '../contract/vendor.js';

const roadsyncId = () => Joi.string().pattern(/^[A-Za-z0-9_-]{1,64}$/, 'RoadSync id');

export const manifest: Manifest = {
  vendor: 'roadsync',
  kind: 'motor_club',
  label: 'RoadSync',
  auth: 'api_key',
  credentialsSchema: Joi.object({
    api_key: Joi.string()
      .max(255)
      // The key becomes a header.
      .pattern(/^[!-~]+$/, 'API key')
      .required()
      .description('The API key. It is sent in the header x-api-key'),
    company_id: roadsyncId().required().description('The RoadSync id of the company'),
    location_id: roadsyncId().description('The RoadSync id of the location that bills'),
  }),
  settingsSchema: Joi.object(motorClubSettings()),
  docsUrl: 'https://developer.roadsync.com/openapi/invoice/overview/',
  // RoadSync has no webhooks. A claim is read the less often, the longer it waits.
  streams: { [CLAIMS_STREAM]: 60 },
  // RoadSync publishes no limits.
  limits: { perSecond: 5, timeoutMs: 20_000 },
};
