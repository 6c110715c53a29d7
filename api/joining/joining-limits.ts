import { createRateLimitError } from '../../shared/http/rate-limit-response.js';
import type { Limiter } from '../../shared/platform/limits/limiter.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { hashEmail } from '../runtime/sign-in-limits.js';

/**
 * The limits for a network's requests without a credential, by purpose. The limits do not reveal
 * whether an address or a link exists.
 */
const PER_NETWORK = {
  /** Requests that may cause a mail. */
  mails: { minute: 20, hour: 100 },
  /**
   * Tries with links. A token has 256 bits and cannot be guessed, so this limit only bounds the
   * load.
   */
  links: { minute: 60, hour: 600 },
} as const;

/**
 * The limit for a network's requests that name one e-mail address. Further requests send no mail.
 */
const PER_ADDRESS_AND_NETWORK = { minute: 5, hour: 10 };

/** The limit for password tries with one link. */
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

/** @throws {AppError} 429 after too many password tries with this link */
export async function countLinkTry(limiter: Limiter, id: string): Promise<void> {
  const { allowed, windows } = await limiter.consumeUnlessRefused(`joining-link/${id}`, PER_LINK);
  if (!allowed) throw createRateLimitError(windows, () => 'Too many tries with this link.');
}
