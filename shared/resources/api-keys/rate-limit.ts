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
 * All credentials of one kind in an account together have `times` the limit of its tier. Otherwise
 * an account could multiply its limits by creating keys or users.
 */
const ACCOUNT_LIMITS = {
  api: { name: 'api-keys', times: 5, limit: 'the account-wide API key limit' },
  agent: { name: 'agents', times: 5, limit: 'the account-wide agent limit' },
  user: { name: 'people', times: 20, limit: 'the account-wide user limit' },
} as const;

/**
 * Counts a request against the limits of its key or user, and against the account-wide limits.
 * Returns the windows with fewer remaining requests.
 *
 * A request over its own limit does not count against the account-wide limit, so normally the own
 * count runs first. Far from the own limit, both counts run concurrently, which saves a round trip
 * to the store. The account-wide count is then too high only by the requests that other processes
 * refuse at that moment.
 */
export async function countRequest(
  { limiter, config }: Pick<Runtime, 'limiter' | 'config'>,
  key: Principal,
): Promise<RateLimitResult> {
  const ownLimits = config.tiers[key.tier];
  const countOwn = () => limiter.consume(limiterKeyFor(key), ownLimits);
  const { name, times, limit } = ACCOUNT_LIMITS[key.kind];
  const { minute, hour } = config.tiers[key.accountTier];
  const countAccount = () =>
    limiter.consume(`${name}/${key.accountTier}/${key.tenantId}`, {
      minute: minute * times,
      hour: hour * times,
    });
  const [own, countedEarly] = limiter.isFarFromLimit(limiterKeyFor(key), ownLimits)
    ? await Promise.all([countOwn(), countAccount()])
    : [await countOwn()];
  if (!own.allowed) return { windows: own.windows, refusal: refuse(own.windows, `the ${key.tier} limit`) };
  const account = countedEarly ?? (await countAccount());
  return {
    windows: own.windows.map((window, index) => pickTighter(window, account.windows[index] ?? window)),
    refusal: refuse(account.windows, limit),
  };
}

function pickTighter(one: WindowState, other: WindowState): WindowState {
  return other.remaining < one.remaining ? other : one;
}

/** A user has separate limits for the live account and the sandbox, as two keys would. */
function limiterKeyFor({ kind, id, tenantId }: Principal): string {
  return kind === 'user' ? `${id}/${tenantId}` : id;
}

/** @param limit name of the limit in the error message */
function refuse(windows: WindowState[], limit: string): AppError | undefined {
  return createRateLimitError(windows, (exceeded) => {
    const limits = exceeded.map((w) => `${w.limit} requests per ${w.window}`);
    return `Over ${limit} of ${limits.join(' and ')}.`;
  });
}
