import { type TenantVendor, Vendors } from '../../../shared/integrations/contract/vendor.js';
import { motive } from '../../../shared/integrations/motive/adapter.js';
import { quickbooks } from '../../../shared/integrations/quickbooks/adapter.js';
import { roadsync } from '../../../shared/integrations/roadsync/adapter.js';
import { samsara } from '../../../shared/integrations/samsara/adapter.js';
import { smtp } from '../../../shared/integrations/smtp/adapter.js';
import { stripe } from '../../../shared/integrations/stripe/adapter.js';
import { xero } from '../../../shared/integrations/xero/adapter.js';
import { parrot, parrotWithKeys } from './parrot/adapter.js';

/** QuickBooks with a limit that does not make the tests wait. Unit tests show how it is kept. */
export const FAST_QUICKBOOKS: TenantVendor = {
  ...quickbooks,
  manifest: { ...quickbooks.manifest, limits: { ...quickbooks.manifest.limits, perSecond: 100 } },
};

/** Xero with a limit that does not make the tests wait. One test has the real limit. */
export const FAST_XERO: TenantVendor = {
  ...xero,
  manifest: { ...xero.manifest, limits: { ...xero.manifest.limits, perSecond: 100, perMinute: 6000 } },
};

/** RoadSync with a limit that does not make the tests wait. */
export const FAST_ROADSYNC: TenantVendor = {
  ...roadsync,
  manifest: { ...roadsync.manifest, limits: { ...roadsync.manifest.limits, perSecond: 100 } },
};

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
