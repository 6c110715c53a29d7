import { hmacSha256 } from '../../platform/crypto.js';

/**
 * Networks that a person has signed in from: the mark of each, and when that was last (ISO 8601).
 */
export type KnownAddresses = Record<string, string>;

const MAX_ADDRESSES = 20;
const MAX_AGE_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * What is stored of a network. Keyed by the deployment's secret and bound to the person: an address
 * has too few values to be kept as a plain hash, and equal marks of two people would tell that they
 * share a network.
 */
export function markNetwork(key: Buffer, { userId, network }: { userId: string; network: string }): string {
  return hmacSha256(key, `${userId} ${network}`).toString('base64url');
}

export function isKnownAddress(known: KnownAddresses, mark: string, now: number): boolean {
  const signedInAt = known[mark];
  return signedInAt !== undefined && Date.parse(signedInAt) > now - MAX_AGE_MS;
}

/** The addresses with this one added: those of the last 90 days, the newest 20 of them. */
export function withAddress(known: KnownAddresses, mark: string, now: number): KnownAddresses {
  const all = Object.entries({ ...known, [mark]: new Date(now).toISOString() });
  const recent = all.filter(([, signedInAt]) => Date.parse(signedInAt) > now - MAX_AGE_MS);
  const newestFirst = recent.sort(([, one], [, other]) => Date.parse(other) - Date.parse(one));
  return Object.fromEntries(newestFirst.slice(0, MAX_ADDRESSES));
}
