import type { Config } from '../../config/config.js';
import { openIds, sealIds } from '../../contracts/sealed-ids.js';
import { deriveKey } from '../../platform/crypto.js';

/** The number of days for which the link in a message opens the invoice. */
export const LINK_DAYS = 90;

/** The message that contains a link. */
export interface LinkTarget {
  tenantId: string;
  messageId: string;
}

/** Returns the key that encrypts links. */
export function deriveLinkKey({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'invoice links');
}

/**
 * Returns the secret part of a link: the encrypted ids of the account and the message. The
 * message's row stores when the link expires and whether it was revoked.
 */
export function sealLink(key: Buffer, { tenantId, messageId }: LinkTarget): string {
  return sealIds(key, tenantId, messageId);
}

/**
 * Decrypts a token that {@link sealLink} returned. Returns undefined if this deployment did not
 * create the token.
 */
export function openLink(key: Buffer, token: string): LinkTarget | undefined {
  const ids = openIds(key, token);
  return ids && { tenantId: ids.tenantId, messageId: ids.id };
}
