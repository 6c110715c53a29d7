import { type Market, NEW_YORK, TEXAS } from './demo-names.js';
import { demoId } from './demo-random.js';

/** A company of the demo, as it is in every installation. */
export interface DemoProfile {
  /** Seeds its draws and begins the path of its ids. */
  slug: string;
  name: string;
  timeZone: string;
  taxRateBps: number;
  market: Market;
  owner: { id: string; name: string; email: string };
  /** Ids of the tenant and of its sandbox twin. */
  pair: { live: string; sandbox: string };
}

function profile(
  slug: string,
  facts: Omit<DemoProfile, 'slug' | 'pair' | 'owner'> & { ownerName: string },
): DemoProfile {
  const { ownerName, ...rest } = facts;
  const [firstName = slug] = ownerName.toLowerCase().split(' ');
  return {
    ...rest,
    slug,
    // The domain .example belongs to nobody (RFC 2606), so no message of the demo can reach a person.
    owner: { id: demoId(`${slug}/user`), name: ownerName, email: `${firstName}@${slug}.example` },
    pair: { live: demoId(`${slug}/live`), sandbox: demoId(`${slug}/sandbox`) },
  };
}

/** Two companies, so that the isolation of tenants can be tried out. */
export const DEMO_PROFILES: readonly DemoProfile[] = [
  profile('hudson-towing', {
    name: 'Hudson Towing & Recovery',
    timeZone: 'America/New_York',
    taxRateBps: 825,
    market: NEW_YORK,
    ownerName: 'Dana Whitfield',
  }),
  profile('lone-star-recovery', {
    name: 'Lone Star Recovery',
    timeZone: 'America/Chicago',
    taxRateBps: 625,
    market: TEXAS,
    ownerName: 'Marcus Ibarra',
  }),
];

/** The demo's tenants with their sandbox twins. */
export const DEMO_TENANT_IDS: readonly string[] = DEMO_PROFILES.flatMap(({ pair }) => [
  pair.live,
  pair.sandbox,
]);
