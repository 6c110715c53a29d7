/**
 * Options of stacks that several test files share. test/run/group-by-stack.ts looks for the names
 * of these constants, so that one process runs all files with the same name.
 */

/** Wrong credentials that {@link PROXIED_STACK} allows per network and minute. */
export const MAX_BAD_CREDENTIALS = 30;

/**
 * A stack that trusts the header X-Forwarded-For. A test whose requests count towards a limit of
 * their network must use addresses that no other test uses.
 */
export const PROXIED_STACK = {
  environment: { TRUST_PROXY: 'true', BAD_CREDENTIALS_PER_MINUTE: `${MAX_BAD_CREDENTIALS}` },
  clock: true,
};

export const LOW_TIERS = {
  starter: { minute: 3, hour: 1000 },
  standard: { minute: 5, hour: 1000 },
  // In this tier, requests reach the limit of the hour before the limit of the minute.
  premium: { minute: 1000, hour: 8 },
};

/** Wrong credentials that {@link LIMITED_STACK} allows per network and minute. */
export const LOW_BAD_CREDENTIALS = 4;

/** A stack that trusts the header X-Forwarded-For and soon refuses requests with 429. */
export const LIMITED_STACK = {
  environment: {
    TRUST_PROXY: 'true',
    RATE_LIMIT_TIERS: JSON.stringify(LOW_TIERS),
    BAD_CREDENTIALS_PER_MINUTE: `${LOW_BAD_CREDENTIALS}`,
  },
};

/** A stack with an https address of its own, and further hosts for agents. */
export const HTTPS_STACK = {
  environment: { BASE_URL: 'https://tow.example.com', MCP_HOSTS: 'agents.example.com,other.example.com' },
};
