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

/** Counts a request against the minute and the hour of its key or person (decisions 6, Tier). */
export async function countRequest(
  { limiter, config }: Pick<Runtime, 'limiter' | 'config'>,
  key: Principal,
): Promise<Counted> {
  const { allowed, windows } = await limiter.consume(countedAs(key), config.tiers[key.tier]);
  return { windows, refusal: allowed ? undefined : tooMany(windows, `the ${key.tier} limit`) };
}

/** All agents of an account together may do as much as so many keys of its tier. */
const AGENTS_OF_TENANT = 5;

/** The same for a message of an agent: counted for its key, and for all agents of its account in the same tier. The windows are the tighter ones. */
export async function countAgentMessage(
  runtime: Pick<Runtime, 'limiter' | 'config'>,
  key: Principal,
): Promise<Counted> {
  const ofKey = await countRequest(runtime, key);
  if (ofKey.refusal) return ofKey;
  const { minute, hour } = runtime.config.tiers[key.tier];
  const { allowed, windows } = await runtime.limiter.consume(`agents/${key.tier}/${key.tenantId}`, {
    minute: minute * AGENTS_OF_TENANT,
    hour: hour * AGENTS_OF_TENANT,
  });
  return {
    windows: ofKey.windows.map((own, index) => tighter(own, windows[index] ?? own)),
    refusal: allowed ? undefined : tooMany(windows, "all this account's agents' limit"),
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
