import type { TenantVendor } from '../../../../shared/integrations/contract/vendor.js';
import type { FleetDouble } from '../doubles/fleet/fleet-double.js';
import { MotiveDouble } from '../doubles/motive/motive-double.js';
import { SamsaraDouble } from '../doubles/samsara/samsara-double.js';
import { FAST_MOTIVE, FAST_SAMSARA } from '../worker-vendors.js';

/** A telematics vendor, with its double and its names for what all of them have. */
export interface TrackedVendor {
  vendor: TenantVendor;
  createDouble(): FleetDouble;
  /** The credential that opens a fleet. */
  tokenField: string;
  webhookSecret: string;
  otherSecret: string;
  /** A webhook that makes the list of vehicles be read again. */
  buildWebhook(): object;
  /** The names of webhooks that need nothing. */
  otherEvents: readonly string[];
}

export type VendorName = 'samsara' | 'motive';

const toBase64 = (text: string) => Buffer.from(text).toString('base64');

export const TRACKED_VENDORS: Readonly<Record<VendorName, TrackedVendor>> = {
  samsara: {
    vendor: FAST_SAMSARA,
    createDouble: () => new SamsaraDouble(),
    tokenField: 'api_token',
    webhookSecret: toBase64('samsara-test-secret'),
    otherSecret: toBase64('another secret of theirs'),
    buildWebhook: () => ({ eventId: 'e1', eventType: 'VehicleCreated', orgId: 1, data: {} }),
    otherEvents: ['GeofenceEntry', 'AlertIncident', 'NobodyKnowsThis', '__proto__'],
  },
  motive: {
    vendor: FAST_MOTIVE,
    createDouble: () => new MotiveDouble(),
    tokenField: 'api_key',
    webhookSecret: 'motive-test-secret-1',
    otherSecret: 'motive-test-secret-2',
    buildWebhook: () => ({ action: 'vehicle_upserted', id: 1 }),
    otherEvents: ['vehicle_location_updated', 'engine_toggle_event', 'nobody_knows_this', '__proto__'],
  },
};

export const VENDOR_NAMES = Object.keys(TRACKED_VENDORS) as VendorName[];
export const labelOf = (name: VendorName): string => TRACKED_VENDORS[name].vendor.manifest.label;
