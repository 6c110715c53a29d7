import type { VendorSettings } from '../config/config.js';
import type { TenantVendor } from './contract/vendor.js';

export interface VendorAddresses {
  baseUrl: string;
  identityUrl: string;
  signInUrl: string;
  revokeUrl: string;
  filesUrl: string;
}

/**
 * Returns the vendor's addresses. Addresses in the setting INTEGRATIONS replace the vendor's own.
 */
export function getVendorAddresses(
  vendor: TenantVendor,
  settings: VendorSettings = {},
  environment: 'live' | 'sandbox' = 'live',
): VendorAddresses {
  const { sandboxUrl = vendor.baseUrl } = vendor;
  const baseUrl = environment === 'sandbox' ? sandboxUrl : vendor.baseUrl;
  const { identityUrl = baseUrl, filesUrl = baseUrl } = vendor;
  const { signInUrl = identityUrl, revokeUrl = identityUrl } = vendor;
  const identity = settings.identity_url ?? settings.base_url;
  return {
    baseUrl: settings.base_url ?? baseUrl,
    identityUrl: identity ?? identityUrl,
    signInUrl: identity ?? signInUrl,
    revokeUrl: identity ?? revokeUrl,
    filesUrl: settings.base_url ?? filesUrl,
  };
}
