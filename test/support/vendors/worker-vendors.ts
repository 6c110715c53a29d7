import { Vendors } from '../../../shared/integrations/contract/vendor.js';
import { samsara } from '../../../shared/integrations/samsara/adapter.js';
import { smtp } from '../../../shared/integrations/smtp/adapter.js';
import { stripe } from '../../../shared/integrations/stripe/adapter.js';
import { FAST_QUICKBOOKS } from './booking.js';
import { parrot, parrotWithKeys } from './parrot/adapter.js';
import { FAST_XERO } from './xero-booking.js';

/** The vendors of the workers that tests kill. */
export const WORKER_VENDORS = new Vendors([
  smtp,
  parrot,
  parrotWithKeys,
  stripe,
  samsara,
  FAST_QUICKBOOKS,
  FAST_XERO,
]);
