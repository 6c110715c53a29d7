import type { TenantVendor } from '../../../shared/integrations/contract/vendor.js';
import type { CalledConnection } from '../../../shared/resources/connections/hook-queries.js';

/** The last part of the address to which a vendor sends texts and calls. */
export type PhonePart = 'messages' | 'voice';

export interface PhoneRequest {
  connection: CalledConnection;
  vendor: TenantVendor;
  part: PhonePart;
  body: Buffer;
}
