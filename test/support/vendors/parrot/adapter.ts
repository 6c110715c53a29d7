import { createHmac, timingSafeEqual } from 'node:crypto';
import Joi from 'joi';
import type { MessagingAdapter } from '../../../../shared/integrations/contract/messaging.js';
import type { TenantVendor } from '../../../../shared/integrations/contract/vendor.js';
import { callParrot } from './client.js';
import { manifest } from './manifest.js';
import { type ParrotText, toChange, toText, toWritten } from './mapper.js';

interface ParrotPage {
  texts: ParrotText[];
  next: string;
  more: boolean;
}

const messaging: MessagingAdapter = {
  async send(connection, message, { operationKey }) {
    const body = toText(message, connection.settings.from_number);
    return toWritten(
      await callParrot<ParrotText>(connection, { method: 'POST', path: '/texts', body, key: operationKey }),
    );
  },
  async find(connection, _message, { operationKey }) {
    const { texts } = await callParrot<ParrotPage>(connection, {
      method: 'GET',
      path: `/texts/sent?key=${operationKey}`,
    });
    return texts[0] && toWritten(texts[0]);
  },
  async pull(connection, { cursor, since }) {
    const from = since === null ? `after=${cursor ?? '0'}` : `since=${encodeURIComponent(since)}`;
    const page = await callParrot<ParrotPage>(connection, { method: 'GET', path: `/texts?${from}` });
    return { changes: page.texts.map(toChange), cursor: page.next, isLast: !page.more };
  },
};

export const parrot: TenantVendor = {
  manifest,
  baseUrl: 'https://api.parrot.example.com',
  async describe(connection) {
    const account = await callParrot<{ id: string; name: string; mode: 'live' | 'sandbox' }>(connection, {
      method: 'GET',
      path: connection.accessToken ? `/account?aviary=${connection.signInParams.aviary}` : '/account',
    });
    return { externalAccount: account.id, label: account.name, environment: account.mode };
  },
  messaging,
  inbound: {
    isPerApplication: false,
    verify({ body, headers }, secret) {
      const expected = createHmac('sha256', secret).update(body).digest();
      const given = Buffer.from(String(headers['x-parrot-signature'] ?? ''), 'hex');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    split(body) {
      const { account, events } = JSON.parse(body.toString('utf8')) as {
        account: string;
        events: { id: string; account?: string }[];
      };
      return events.map(({ id, account: externalAccount = account }) => ({
        externalAccount,
        dedupeId: id,
        stream: 'messages',
      }));
    },
  },
};

const { find: _find, ...messagingWithoutLook } = messaging;
const { oauth: _oauth, ...manifestWithoutSignIn } = manifest;

/** Parrot with API keys instead of OAuth, with one address for all webhooks, and without `find`. */
export const parrotWithKeys: TenantVendor = {
  ...parrot,
  manifest: {
    ...manifestWithoutSignIn,
    vendor: 'parrot_keys',
    auth: 'api_key',
    credentialsSchema: Joi.object({ api_key: Joi.string().min(8).required() }),
  },
  messaging: messagingWithoutLook,
  inbound: { ...parrot.inbound, isPerApplication: true },
  readEnvironment: ({ api_key = '' }) => (api_key.startsWith('test_') ? 'sandbox' : 'live'),
};
