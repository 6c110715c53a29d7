import Joi from 'joi';
import { type Manifest, RECONCILIATION_STREAM } from '../contract/vendor.js';

/** The ways to pay on a pay page that an account can choose. */
export const STRIPE_METHODS = ['card', 'link', 'us_bank_account'] as const;

const secretKey = Joi.string()
  .pattern(/^(sk|rk)_(test|live)_[A-Za-z0-9]+$/, 'secret or restricted key')
  .max(255)
  .required()
  .description('A secret key (sk_…) or a restricted key (rk_…)');

/** Stripe signs each webhook with this secret. */
const webhookSecret = Joi.string()
  .pattern(/^whsec_\S+$/, 'signing secret')
  .max(255)
  .description('The signing secret of the webhook endpoint (whsec_…)');

export const manifest: Manifest = {
  vendor: 'stripe',
  kind: 'payments',
  label: 'Stripe',
  auth: 'api_key',
  credentialsSchema: Joi.object({ secret_key: secretKey, webhook_secret: webhookSecret }),
  settingsSchema: Joi.object({
    methods: Joi.array()
      .items(Joi.string().valid(...STRIPE_METHODS))
      .min(1)
      .unique()
      .default(['card', 'link'])
      .description('How customers may pay on a pay page'),
    partial_payments: Joi.boolean()
      .default(false)
      .description('True if a pay link may be for less than the balance'),
    terminal_location_id: Joi.string().max(255).description('The location of the card readers'),
  }),
  // Connections by sign-in use Stripe Connect. The application's secret is a key of the operator's
  // own Stripe account.
  oauth: {
    authorizePath: '/oauth/authorize',
    tokenPath: '/oauth/token',
    revokePath: '/oauth/deauthorize',
    scopes: ['read_write'],
    sendsSecretInBody: true,
    revokesAccount: true,
    buildRevocation: ({ clientId, externalAccount }) => ({
      client_id: clientId,
      stripe_user_id: externalAccount,
    }),
  },
  docsUrl: 'https://docs.stripe.com/keys',
  // Webhooks report changes immediately. The hourly pulls find lost webhooks. Readers are pulled
  // more often, because Stripe sends no webhook when a reader is added or goes offline. The daily
  // reconciliation compares complete lists, and so finds changes that the events missed.
  streams: {
    payments: 3600,
    refunds: 3600,
    disputes: 3600,
    payment_methods: 3600,
    readers: 600,
    payouts: 3600,
    payout_items: 3600,
    [RECONCILIATION_STREAM]: 86_400,
  },
  // Stripe allows 100 calls per second in live mode, but only 25 in a sandbox or to one endpoint.
  limits: { perSecond: 25, timeoutMs: 20_000 },
};
