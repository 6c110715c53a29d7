import type { Config } from '../../config/config.js';
import { openIds, sealIds } from '../../contracts/sealed-ids.js';
import { deriveKey } from '../../platform/crypto.js';

/** A message's link opens its invoice for this many days. */
export const LINK_DAYS = 90;

/** The message that a link was sent with. */
export interface LinkTarget {
  tenantId: string;
  messageId: string;
}

/** The key that encrypts links. */
export function deriveLinkKey({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'invoice links');
}

/**
 * The secret part of a link. The message's row holds the link's expiry and revocation.
 */
export function sealLink(key: Buffer, { tenantId, messageId }: LinkTarget): string {
  return sealIds(key, tenantId, messageId);
}

/** Reverses {@link sealLink}; undefined for a token that this deployment did not seal. */
export function openLink(key: Buffer, token: string): LinkTarget | undefined {
  const ids = openIds(key, token);
  return ids && { tenantId: ids.tenantId, messageId: ids.id };
}
