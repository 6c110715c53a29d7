import type { Config, TierLimits } from '../../config/config.js';
import type { Principal } from '../../contracts/principal.js';
import { createRateLimitError } from '../../http/rate-limit-response.js';
import type { AppError } from '../../platform/errors.js';
import type { WindowState } from '../../platform/limits/limiter.js';
import type { Runtime } from '../../platform/process/runtime.js';

export interface RateLimitResult {
  windows: WindowState[];
  /** The 429 error if a limit is exceeded. */
  refusal: AppError | undefined;
}

/**
 * The account-wide limits. The account's tier sets how many requests one credential may send. All
 * credentials of one kind together may send that number multiplied by `times`. Without these
 * limits, an account could multiply its limit by creating keys or users.
 */
const ACCOUNT_LIMITS = {
  api: { name: 'api-keys', times: 5, limit: 'the account-wide API key limit' },
  agent: { name: 'agents', times: 5, limit: 'the account-wide agent limit' },
  user: { name: 'people', times: 20, limit: 'the account-wide user limit' },
  // Apart from the account's own keys, so that a club's broken client does not stop them.
  club: { name: 'club-keys', times: 2, limit: "the limit of all clubs' keys" },
} as const;

/** The account-wide limit for people is at least this many times the limit of one person. */
const MIN_BUSY_PEOPLE = 5;

/**
 * Returns the limits of one credential. A person may send more requests than a key of a low tier,
 * because the dashboard reads its data again while the person works.
 */
function ownLimitsOf({ kind, tier }: Principal, { tiers, peopleLimits }: Limits): TierLimits {
  return kind === 'user' ? takeLarger(tiers[tier], peopleLimits) : tiers[tier];
}

function accountLimitsOf(key: Principal, { tiers, peopleLimits }: Limits): TierLimits {
  const { kind, accountTier } = key;
  const limits = multiply(tiers[accountTier], ACCOUNT_LIMITS[groupOf(key)].times);
  return kind === 'user' ? takeLarger(limits, multiply(peopleLimits, MIN_BUSY_PEOPLE)) : limits;
}

function groupOf({ kind, clubId }: Principal): keyof typeof ACCOUNT_LIMITS {
  return clubId === undefined ? kind : 'club';
}

type Limits = Pick<Config, 'tiers' | 'peopleLimits'>;

function multiply({ minute, hour }: TierLimits, times: number): TierLimits {
  return { minute: minute * times, hour: hour * times };
}

function takeLarger(one: TierLimits, other: TierLimits): TierLimits {
  return { minute: Math.max(one.minute, other.minute), hour: Math.max(one.hour, other.hour) };
}

/**
 * Counts a request against the limit of its key or user, and against the account-wide limit. For
 * each window, the result shows the limit with fewer remaining requests.
 * A request that exceeds its key's limit must not count account-wide, so normally the key's count
 * runs first. If the key is far from its limit, both counts run concurrently, which saves a round
 * trip to the store. If other processes exhaust the key's limit at the same time, a refused request
 * may still count account-wide.
 */
export async function countRequest(
  { limiter, config }: Pick<Runtime, 'limiter' | 'config'>,
  key: Principal,
): Promise<RateLimitResult> {
  const ownLimits = ownLimitsOf(key, config);
  const countOwn = () => limiter.consume(limiterKeyFor(key), ownLimits);
  const { name, limit } = ACCOUNT_LIMITS[groupOf(key)];
  const countAccount = () =>
    limiter.consume(`${name}/${key.accountTier}/${key.tenantId}`, accountLimitsOf(key, config));
  const [own, countedEarly] = limiter.isFarFromLimit(limiterKeyFor(key), ownLimits)
    ? await Promise.all([countOwn(), countAccount()])
    : [await countOwn()];
  const ownLimit = key.kind === 'user' ? 'the limit of one person' : `the ${key.tier} limit`;
  if (!own.allowed) return { windows: own.windows, refusal: refuse(own.windows, ownLimit) };
  const account = countedEarly ?? (await countAccount());
  return {
    windows: own.windows.map((window, index) => pickTighter(window, account.windows[index] ?? window)),
    refusal: refuse(account.windows, limit),
  };
}

function pickTighter(one: WindowState, other: WindowState): WindowState {
  return other.remaining < one.remaining ? other : one;
}

/**
 * Returns the name under which the limiter counts requests. A user has separate limits in the live
 * account and in the sandbox, as if they were two keys.
 */
function limiterKeyFor({ kind, id, tenantId }: Principal): string {
  return kind === 'user' ? `${id}/${tenantId}` : id;
}

/** @param limit is the name of the limit in the error message */
function refuse(windows: WindowState[], limit: string): AppError | undefined {
  return createRateLimitError(windows, (exceeded) => {
    const limits = exceeded.map((w) => `${w.limit} requests per ${w.window}`);
    return `Over ${limit} of ${limits.join(' and ')}.`;
  });
}
