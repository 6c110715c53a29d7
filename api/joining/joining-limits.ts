import { createRateLimitError } from '../../shared/http/rate-limit-response.js';
import type { Limiter } from '../../shared/platform/limits/limiter.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { hashEmail } from '../runtime/sign-in-limits.js';

/**
 * The limits for requests of a network that need no credential, by their purpose. None of them
 * depends on whether an address or a link exists.
 */
const PER_NETWORK = {
  /** Each may lead to a mail. */
  mails: { minute: 20, hour: 100 },
  /** Tries with links. A token has 256 bits, so this only bounds the work. */
  links: { minute: 60, hour: 600 },
} as const;

/** How many requests for one address a network may send until further ones have no effect. */
const PER_ADDRESS_AND_NETWORK = { minute: 5, hour: 10 };

/** The limit for tries with passwords for one link. */
const PER_LINK = { minute: 10, hour: 40 };

/** @throws {AppError} 429 if the network has sent too many requests for this purpose */
export async function countJoiningRequest(
  limiter: Limiter,
  purpose: keyof typeof PER_NETWORK,
  ip: string,
): Promise<void> {
  const key = `joining-${purpose}/${findNetworkPrefix(ip)}`;
  const { allowed, windows } = await limiter.consumeUnlessRefused(key, PER_NETWORK[purpose]);
  if (!allowed) throw createRateLimitError(windows, () => 'Too many requests.');
}

/** True if the network may still cause mails to this address. */
export async function mayMailAddress(
  limiter: Limiter,
  { purpose, email, ip }: { purpose: string; email: string; ip: string },
): Promise<boolean> {
  const key = `joining-${purpose}/${hashEmail(email)}/${findNetworkPrefix(ip)}`;
  return (await limiter.consumeUnlessRefused(key, PER_ADDRESS_AND_NETWORK)).allowed;
}

/** @throws {AppError} 429 if there were too many tries with a password for this link */
export async function countLinkTry(limiter: Limiter, id: string): Promise<void> {
  const { allowed, windows } = await limiter.consumeUnlessRefused(`joining-link/${id}`, PER_LINK);
  if (!allowed) throw createRateLimitError(windows, () => 'Too many tries with this link.');
}
