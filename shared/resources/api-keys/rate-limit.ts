import type { Principal } from '../../contracts/principal.js';
import { AppError } from '../../platform/errors.js';
import type { WindowState } from '../../platform/limiter.js';
import type { Runtime } from '../../platform/runtime.js';

const WINDOW_SECONDS = { minute: 60, hour: 3600 } as const;

/** A request that has been counted. */
export interface Counted {
  windows: WindowState[];
  /** 429: over a limit. */
  refusal: AppError | undefined;
}

/**
 * What all credentials of a kind may do together in one account: as much as so many of them, each
 * at the account's tier. Without it an account would multiply its limits by making keys or people.
 * The sandbox is an account of its own.
 */
const SUMS = {
  api: { name: 'api-keys', times: 5, limit: "all this account's API keys' limit" },
  agent: { name: 'agents', times: 5, limit: "all this account's agents' limit" },
  user: { name: 'people', times: 20, limit: "all this account's people's limit" },
} as const;

/**
 * Counts a request against the minute and the hour of its key or person, and of all credentials of
 * that kind in its account. The windows are the tighter ones.
 *
 * A request that is over its own limit is not counted for the others, so the sum waits for the own
 * count. Far from that limit both are counted at once, which saves a trip to the store: then the
 * sum is too high only by what other processes refuse at that moment.
 */
export async function countRequest(
  { limiter, config }: Pick<Runtime, 'limiter' | 'config'>,
  key: Principal,
): Promise<Counted> {
  const ownLimits = config.tiers[key.tier];
  const countOwn = () => limiter.consume(countedAs(key), ownLimits);
  const { name, times, limit } = SUMS[key.kind];
  const { minute, hour } = config.tiers[key.accountTier];
  const countSum = () =>
    limiter.consume(`${name}/${key.accountTier}/${key.tenantId}`, {
      minute: minute * times,
      hour: hour * times,
    });
  const [own, counted] = limiter.isFarFromLimit(countedAs(key), ownLimits)
    ? await Promise.all([countOwn(), countSum()])
    : [await countOwn()];
  if (!own.allowed) return { windows: own.windows, refusal: tooMany(own.windows, `the ${key.tier} limit`) };
  const sum = counted ?? (await countSum());
  return {
    windows: own.windows.map((window, index) => tighter(window, sum.windows[index] ?? window)),
    refusal: sum.allowed ? undefined : tooMany(sum.windows, limit),
  };
}

function tighter(one: WindowState, other: WindowState): WindowState {
  return other.remaining < one.remaining ? other : one;
}

/** A person has the limits of the sandbox beside those of the live tenant, as two keys would. */
function countedAs({ kind, id, tenantId }: Principal): string {
  return kind === 'user' ? `${id}/${tenantId}` : id;
}

/** 429 for whoever is over these windows. @param limit whose limit it is, as the message names it */
export function tooMany(windows: WindowState[], limit: string): AppError {
  const over = windows.filter((state) => state.remaining < 0);
  const retryAfter = Math.max(...over.map((state) => state.resetSeconds));
  return new AppError(
    'rate_limited',
    `Over ${limit} of ${over.map((w) => `${w.limit} requests per ${w.window}`).join(' and ')}. Try again in ${retryAfter} s.`,
    {
      headers: { 'Retry-After': String(retryAfter) },
      details: over.map(({ window, limit, resetSeconds }) => ({ window, limit, retry_after: resetSeconds })),
    },
  );
}

/** X-RateLimit-Remaining of the specification, and RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers. */
export function rateLimitHeaders(windows: WindowState[]): Record<string, string> {
  const left = (state: WindowState) => Math.max(0, state.remaining);
  return {
    'X-RateLimit-Remaining': String(Math.min(...windows.map(left))),
    'RateLimit-Policy': windows
      .map((w) => `"${w.window}";q=${w.limit};w=${WINDOW_SECONDS[w.window]}`)
      .join(', '),
    RateLimit: windows.map((w) => `"${w.window}";r=${left(w)};t=${w.resetSeconds}`).join(', '),
  };
}
