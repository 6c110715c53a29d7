import { Vendors } from '../../../shared/integrations/contract/vendor.js';
import { quickbooks } from '../../../shared/integrations/quickbooks/adapter.js';
import { smtp } from '../../../shared/integrations/smtp/adapter.js';
import { stripe } from '../../../shared/integrations/stripe/adapter.js';
import { parrot, parrotWithKeys } from './parrot/adapter.js';
import { FAST_XERO } from './xero-booking.js';

/** The vendors of the workers that tests kill. */
export const WORKER_VENDORS = new Vendors([smtp, parrot, parrotWithKeys, stripe, quickbooks, FAST_XERO]);
