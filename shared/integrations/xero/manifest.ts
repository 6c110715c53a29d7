import Joi from 'joi';
import { SWEEP_STREAM } from '../contract/books/sweep-stream.js';
import { CHOICES_STREAM, type Manifest } from '../contract/vendor.js';

const recordId = () => Joi.string().max(64);

export const manifest: Manifest = {
  vendor: 'xero',
  kind: 'accounting',
  label: 'Xero',
  auth: 'oauth2',
  credentialsSchema: Joi.object({}),
  settingsSchema: Joi.object({
    accounts: Joi.object()
      .pattern(Joi.string().pattern(/^[a-z][a-z0-9_]{0,63}$/, 'category'), recordId())
      .description('The code of the revenue account of each category of line items'),
    tax_codes: Joi.object({
      taxable: recordId().description('The tax type of taxed lines'),
      exempt: recordId().description('The tax type of all other lines; default: NONE'),
    }),
    deposit_account: recordId().description(
      'The account that payments go to. Xero accepts no payment without one',
    ),
  }),
  oauth: {
    authorizePath: '/identity/connect/authorize',
    tokenPath: '/connect/token',
    scopes: [
      'offline_access',
      'accounting.invoices',
      'accounting.payments',
      'accounting.contacts',
      'accounting.settings',
    ],
    refreshTokenSeconds: 60 * 86_400,
    // All sign-ins of one person at Xero share the access to an organisation.
    revokesAccount: true,
  },
  docsUrl: 'https://developer.xero.com/documentation/api/accounting/overview',
  // Webhooks say at once what changed. The regular pull finds what they missed, and the nightly
  // sweep finds what both missed.
  streams: {
    customers: 900,
    invoices: 900,
    booked_payments: 900,
    [CHOICES_STREAM]: 86_400,
    [SWEEP_STREAM]: 86_400,
  },
  // Xero allows 60 calls a minute and 5 at the same time for one organisation, and 10,000 a minute
  // for the application. A connection makes one call at a time.
  limits: { perSecond: 5, perMinute: 55, perAppAndMinute: 9_000, timeoutMs: 30_000 },
  bookLimits: { needsDepositAccount: true },
};
