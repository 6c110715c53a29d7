import type { Config } from '../../config/config.js';
import { deriveKey, hmacSha256 } from '../../platform/crypto.js';

/**
 * The time of a person's last sign-in from each network (ISO 8601), by the network's keyed hash.
 */
export type KnownAddresses = Record<string, string>;

const MAX_ADDRESSES = 20;
const MAX_AGE_MS = 90 * 24 * 60 * 60 * 1000;

/** Returns the key of {@link hashNetwork}. */
export function deriveSignInAddressesKey({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'sign-in-addresses');
}

/**
 * Returns the keyed hash of a person's network. Without a secret key, anyone could find the network
 * by hashing all possible addresses. Without the person's id, equal hashes would show that two
 * people share a network.
 */
export function hashNetwork(key: Buffer, { userId, network }: { userId: string; network: string }): string {
  return hmacSha256(key, `${userId} ${network}`).toString('base64url');
}

export function isKnownAddress(known: KnownAddresses, mark: string, now: number): boolean {
  const signedInAt = known[mark];
  return signedInAt !== undefined && Date.parse(signedInAt) > now - MAX_AGE_MS;
}

/**
 * Records a sign-in from a network. Keeps the networks of the last 90 days, at most the newest 20.
 */
export function addKnownAddress(known: KnownAddresses, mark: string, now: number): KnownAddresses {
  const all = Object.entries({ ...known, [mark]: new Date(now).toISOString() });
  const recent = all.filter(([, signedInAt]) => Date.parse(signedInAt) > now - MAX_AGE_MS);
  const newestFirst = recent.sort(([, one], [, other]) => Date.parse(other) - Date.parse(one));
  return Object.fromEntries(newestFirst.slice(0, MAX_ADDRESSES));
}
