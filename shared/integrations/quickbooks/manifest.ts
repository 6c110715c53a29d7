import Joi from 'joi';
import { SWEEP_STREAM } from '../contract/books/sweep-stream.js';
import { CHOICES_STREAM, type Manifest } from '../contract/vendor.js';

const recordId = () => Joi.string().max(64);

/** QuickBooks' limit for the number of an invoice. */
export const MAX_NUMBER_CHARS = 21;

export const manifest: Manifest = {
  vendor: 'quickbooks',
  kind: 'accounting',
  label: 'QuickBooks Online',
  auth: 'oauth2',
  credentialsSchema: Joi.object({}),
  settingsSchema: Joi.object({
    accounts: Joi.object()
      .pattern(Joi.string().pattern(/^[a-z][a-z0-9_]{0,63}$/, 'category'), recordId())
      .description('The income account of each category of line items'),
    tax_codes: Joi.object({
      taxable: recordId().description('The tax code of taxed lines'),
      exempt: recordId().description('The tax code of all other lines'),
    }),
    deposit_account: recordId().description('The account that payments go to; default: QuickBooks’ own'),
  }),
  oauth: {
    authorizePath: '/connect/oauth2',
    tokenPath: '/oauth2/v1/tokens/bearer',
    revokePath: '/v2/oauth2/tokens/revoke',
    scopes: ['com.intuit.quickbooks.accounting'],
    revokesWithJson: true,
    revokesAccount: true,
  },
  docsUrl: 'https://developer.intuit.com/app/developer/qbo/docs/get-started',
  // Webhooks say at once what changed. The regular pull finds what they missed, and the nightly
  // sweep finds what both missed.
  streams: {
    customers: 900,
    invoices: 900,
    booked_payments: 900,
    [CHOICES_STREAM]: 86_400,
    [SWEEP_STREAM]: 86_400,
  },
  // QuickBooks allows 10 calls a second and 500 a minute for one company.
  limits: { perSecond: 8, timeoutMs: 30_000 },
  bookLimits: { maxNumberChars: MAX_NUMBER_CHARS },
};
