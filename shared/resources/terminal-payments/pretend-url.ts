import type { Config } from '../../config/config.js';
import { openIds, sealIds } from '../../contracts/sealed-ids.js';
import { deriveKey } from '../../platform/crypto.js';

/** The ids in the address of a pretend page: of the account and of the terminal payment. */
export interface PretendTap {
  tenantId: string;
  terminalPaymentId: string;
}

function derivePageKey({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'pretend card readers');
}

/** Returns the address of the page where a person presents a card to the pretend reader. */
export function buildTapUrl(config: Config, { tenantId, terminalPaymentId }: PretendTap): string {
  return `${config.publicUrl}/pretend/reader/${sealIds(derivePageKey(config), tenantId, terminalPaymentId)}`;
}

/** Returns undefined if this deployment did not create the token. */
export function openTapToken(config: Config, token: string): PretendTap | undefined {
  const ids = openIds(derivePageKey(config), token);
  return ids && { tenantId: ids.tenantId, terminalPaymentId: ids.id };
}
