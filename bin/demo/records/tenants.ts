import { type Market, NEW_YORK, TEXAS } from './names.js';
import { deriveDemoId } from './random.js';

export interface DemoProfile {
  /** The company's short name in ids, seeds and mail addresses. */
  slug: string;
  name: string;
  timeZone: string;
  taxRateBps: number;
  market: Market;
  owner: { id: string; name: string; email: string };
  /** Tenant ids of the live account and its sandbox. */
  pair: { live: string; sandbox: string };
}

function createProfile(
  slug: string,
  facts: Omit<DemoProfile, 'slug' | 'pair' | 'owner'> & { ownerName: string },
): DemoProfile {
  const { ownerName, ...rest } = facts;
  const [firstName = slug] = ownerName.toLowerCase().split(' ');
  return {
    ...rest,
    slug,
    // No one owns the domain .example (RFC 2606), so no message of the demo can reach a person.
    owner: { id: deriveDemoId(`${slug}/user`), name: ownerName, email: `${firstName}@${slug}.example` },
    pair: { live: deriveDemoId(`${slug}/live`), sandbox: deriveDemoId(`${slug}/sandbox`) },
  };
}

/** Two companies, so that a user can try out the isolation of tenants. */
export const DEMO_PROFILES: readonly DemoProfile[] = [
  createProfile('hudson-towing', {
    name: 'Hudson Towing & Recovery',
    timeZone: 'America/New_York',
    taxRateBps: 825,
    market: NEW_YORK,
    ownerName: 'Dana Whitfield',
  }),
  createProfile('lone-star-recovery', {
    name: 'Lone Star Recovery',
    timeZone: 'America/Chicago',
    taxRateBps: 625,
    market: TEXAS,
    ownerName: 'Marcus Ibarra',
  }),
];

/** The tenant ids of all live accounts and sandboxes in the demo. */
export const DEMO_TENANT_IDS: readonly string[] = DEMO_PROFILES.flatMap(({ pair }) => [
  pair.live,
  pair.sandbox,
]);
