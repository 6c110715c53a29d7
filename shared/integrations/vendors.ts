import { Vendors } from './contract/vendor.js';
import { motive } from './motive/adapter.js';
import { quickbooks } from './quickbooks/adapter.js';
import { roadsync } from './roadsync/adapter.js';
import { samsara } from './samsara/adapter.js';
import { smtp } from './smtp/adapter.js';
import { stripe } from './stripe/adapter.js';
import { twilio } from './twilio/adapter.js';
import { xero } from './xero/adapter.js';

export const VENDORS = new Vendors([smtp, stripe, twilio, quickbooks, xero, samsara, motive, roadsync]);
