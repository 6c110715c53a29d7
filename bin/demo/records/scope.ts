import type { DemoProfile } from './tenants.js';

const DAY_MS = 86_400_000;

export interface DemoScope {
  profile: DemoProfile;
  environment: 'live' | 'sandbox';
  tenantId: string;
  /** Prefix of the paths of its ids, and seed of its random draws. */
  path: string;
  /** Returns an RFC 3339 time before the time of seeding. A negative number gives a future time. */
  daysAgo: (days: number) => string;
}

export function createDemoScope(profile: DemoProfile, environment: 'live' | 'sandbox', now: Date): DemoScope {
  return {
    profile,
    environment,
    tenantId: profile.pair[environment],
    path: `${profile.slug}/${environment}`,
    daysAgo: (days) => new Date(now.getTime() - Math.round(days * DAY_MS)).toISOString(),
  };
}
