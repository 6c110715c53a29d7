import Joi from 'joi';
import type { Manifest } from '../../../../shared/integrations/contract/vendor.js';

/**
 * Parrot, a made-up vendor that sends texts to phones. In tests, parrot-double.ts stands in for its
 * server.
 */
export const manifest: Manifest = {
  vendor: 'parrot',
  kind: 'messaging',
  label: 'Parrot Texts',
  auth: 'oauth2',
  credentialsSchema: Joi.object({}),
  settingsSchema: Joi.object({ from_number: Joi.string().max(32).required() }),
  docsUrl: 'https://parrot.example.com/docs',
  streams: { messages: 3600 },
  limits: { perSecond: 200, timeoutMs: 2000 },
  oauth: {
    authorizePath: '/oauth/authorize',
    tokenPath: '/oauth/token',
    revokePath: '/oauth/revoke',
    scopes: ['texts.send', 'texts.read'],
  },
};
