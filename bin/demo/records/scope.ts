import type { DemoProfile } from './tenants.js';

const DAY_MS = 86_400_000;

export interface DemoScope {
  profile: DemoProfile;
  environment: 'live' | 'sandbox';
  tenantId: string;
  /**
   * Every path for a demo id and every seed of a DemoRandom in this tenant begins with this text.
   */
  path: string;
  /**
   * Returns the time that lies `days` days before `now` (RFC 3339). A negative number gives a
   * future time.
   */
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
