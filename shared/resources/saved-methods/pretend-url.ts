import type { Config } from '../../config/config.js';
import { openIds, sealIds } from '../../contracts/sealed-ids.js';
import { deriveKey } from '../../platform/crypto.js';

/** The payment method whose pretend page an address opens. */
export interface PretendSetup {
  tenantId: string;
  methodId: string;
}

function derivePageKey({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'pretend payment methods');
}

/** Returns the address of the page where a person saves a payment method in a sandbox. */
export function buildSetupUrl(config: Config, { tenantId, methodId }: PretendSetup): string {
  return `${config.publicUrl}/pretend/setup/${sealIds(derivePageKey(config), tenantId, methodId)}`;
}

/** Returns undefined if this deployment did not create the token. */
export function openSetupToken(config: Config, token: string): PretendSetup | undefined {
  const ids = openIds(derivePageKey(config), token);
  return ids && { tenantId: ids.tenantId, methodId: ids.id };
}
