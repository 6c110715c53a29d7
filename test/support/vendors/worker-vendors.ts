import { type TenantVendor, Vendors } from '../../../shared/integrations/contract/vendor.js';
import type { CallLimits } from '../../../shared/integrations/contract/vendor-limits.js';
import { motive } from '../../../shared/integrations/motive/adapter.js';
import { quickbooks } from '../../../shared/integrations/quickbooks/adapter.js';
import { roadsync } from '../../../shared/integrations/roadsync/adapter.js';
import { samsara } from '../../../shared/integrations/samsara/adapter.js';
import { smtp } from '../../../shared/integrations/smtp/adapter.js';
import { stripe } from '../../../shared/integrations/stripe/adapter.js';
import { xero } from '../../../shared/integrations/xero/adapter.js';
import { parrot, parrotWithKeys } from './parrot/adapter.js';

/**
 * Vendors with limits that do not make the tests wait. Unit tests show how a limit is kept, with
 * the real ones of Xero and QuickBooks. The workers that tests kill keep those of Stripe, Samsara
 * and Motive.
 */
export const FAST_QUICKBOOKS = quicken(quickbooks);
export const FAST_XERO = quicken(xero, { perMinute: 6000 });
export const FAST_ROADSYNC = quicken(roadsync);
export const FAST_SAMSARA = quicken(samsara);
export const FAST_MOTIVE = quicken(motive);

function quicken(vendor: TenantVendor, limits: Partial<CallLimits> = {}): TenantVendor {
  const { manifest } = vendor;
  return { ...vendor, manifest: { ...manifest, limits: { ...manifest.limits, perSecond: 100, ...limits } } };
}

/**
 * The vendors of the workers that tests kill.
 * @param isUnlimited true to lift the limits of the books, for a test that makes very many calls
 */
export function buildWorkerVendors(isUnlimited = false): Vendors {
  const books = isUnlimited ? [liftLimits(quickbooks), liftLimits(xero)] : [FAST_QUICKBOOKS, FAST_XERO];
  return new Vendors([smtp, parrot, parrotWithKeys, stripe, samsara, motive, ...books, FAST_ROADSYNC]);
}

const liftLimits = (vendor: TenantVendor): TenantVendor => ({
  ...vendor,
  manifest: {
    ...vendor.manifest,
    limits: { perSecond: 10_000, timeoutMs: vendor.manifest.limits.timeoutMs },
  },
});

export const WORKER_VENDORS = buildWorkerVendors();
