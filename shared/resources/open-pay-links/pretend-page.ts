import type { Config } from '../../config/config.js';
import { openIds, sealIds } from '../../contracts/sealed-ids.js';
import { deriveKey } from '../../platform/crypto.js';

/** The ids in the address of a pretend page: of the account and of the pay link. */
export interface PretendPage {
  tenantId: string;
  payLinkId: string;
}

function derivePageKey({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'pretend pay pages');
}

/**
 * Returns the address of the page where a sandbox pretends a payment. A sandbox without a payments
 * vendor uses this page, so that it needs no outside service.
 */
export function buildPretendUrl(config: Config, { tenantId, payLinkId }: PretendPage): string {
  return `${config.publicUrl}/pretend/pay/${sealIds(derivePageKey(config), tenantId, payLinkId)}`;
}

/** Returns undefined if this deployment did not create the token. */
export function openPretendToken(config: Config, token: string): PretendPage | undefined {
  const ids = openIds(derivePageKey(config), token);
  return ids && { tenantId: ids.tenantId, payLinkId: ids.id };
}
