import type { DemoProfile } from './demo-tenants.js';

const DAY_MS = 86_400_000;

/** One tenant of the demo, or its sandbox twin, while its records are made. */
export interface DemoScope {
  profile: DemoProfile;
  environment: 'live' | 'sandbox';
  tenantId: string;
  /** Begins the paths of its ids and seeds its draws. */
  path: string;
  /** RFC 3339 time that many days before the moment of seeding; a negative number lies in the future. */
  daysAgo: (days: number) => string;
}

export function demoScope(profile: DemoProfile, environment: 'live' | 'sandbox', now: Date): DemoScope {
  return {
    profile,
    environment,
    tenantId: profile.pair[environment],
    path: `${profile.slug}/${environment}`,
    daysAgo: (days) => new Date(now.getTime() - Math.round(days * DAY_MS)).toISOString(),
  };
}
