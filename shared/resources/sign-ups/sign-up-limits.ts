import { hmacSha256 } from '../../platform/crypto.js';
import { NO_TENANT } from '../../platform/ids.js';
import type { Database, SqlQuery, Transaction } from '../../platform/postgres/database.js';

/** How many sign-ups of one site (see `findSitePrefix`) are mailed within a day. */
const MAX_MAILED_PER_SITE = 20;
/**
 * How many mails of sign-ups one address gets within a day: of all strangers together, and of one
 * site. Further sign-ups get the usual response and no mail, so that nobody floods a mailbox.
 */
const MAX_MAILS_PER_ADDRESS = 10;
const MAX_MAILS_PER_ADDRESS_AND_SITE = 5;
/** How many links of sign-ups with one address work. A further sign-up ends the oldest. */
export const MAX_OPEN_PER_ADDRESS = 3;

export type SignUpRefusal = 'no_token' | 'too_many' | 'too_many_of_site';

interface Origin {
  /** See {@link hashSite}. */
  site_hash: string;
  /** The hash of the operator's token, in hex; null if sign-up is open. */
  invited_by_hash: string | null;
}

/**
 * Returns a keyed hash of a site. Without a key, anyone who reads the table could find the site by
 * hashing all of them.
 */
export function hashSite(key: Buffer, site: string): string {
  return hmacSha256(key, `sign-up site ${site}`).toString('base64url');
}

/**
 * Checks the limits that do not depend on the address, before the password is hashed. The stored
 * sign-up is checked again, because others may sign up meanwhile.
 * @param perDay the limit for all sign-ups of this deployment within a day
 */
export async function checkSignUpLimits(
  db: Database,
  origin: Origin,
  perDay: number,
): Promise<SignUpRefusal | undefined> {
  const [counts] = await db.read<Counts>(NO_TENANT, buildCountQuery(origin));
  return findRefusal(counts, perDay);
}

/** Checks the same limits within the transaction that stores the sign-up. */
export async function checkSignUpLimitsAgain(
  tx: Transaction,
  origin: Origin,
  perDay: number,
): Promise<SignUpRefusal | undefined> {
  const [counts] = await tx.query<Counts>(buildCountQuery(origin));
  return findRefusal(counts, perDay);
}

interface Counts {
  today: number;
  of_site: number;
  has_token: boolean;
}

function findRefusal(counts: Counts | undefined, perDay: number): SignUpRefusal | undefined {
  if (!counts || counts.today >= perDay) return 'too_many';
  if (counts.of_site >= MAX_MAILED_PER_SITE) return 'too_many_of_site';
  return counts.has_token ? undefined : 'no_token';
}

/**
 * Builds the query that counts for the limits. It finds the sign-ups of a site by their mails,
 * whose column `network` contains the site's hash.
 */
function buildCountQuery({ site_hash, invited_by_hash }: Origin): SqlQuery {
  return {
    name: 'count-sign-ups',
    text: `select (select count(*)::int from sign_ups where tenant_id = $1 and created_at > now() - interval '1 day') as today,
             (select count(*)::int from access_mails where tenant_id = $1 and kind = 'sign_up' and network = $2
                and created_at > now() - interval '1 day') as of_site,
             $3::text is null or exists (select from sign_up_tokens where tenant_id = $1 and token_hash = decode($3, 'hex')
                and used_at is null and expires_at > now()) as has_token`,
    values: [NO_TENANT, site_hash, invited_by_hash],
  };
}

/**
 * True if the address may get another mail of a sign-up. With `site_hash`, also checks the mails
 * that this site has caused.
 */
export async function mayMailSignUp(
  tx: Transaction,
  { email, site_hash }: { email: string; site_hash: string | null },
): Promise<boolean> {
  const [mails] = await tx.query<{ all: number; of_site: number }>({
    name: 'count-sign-up-mails',
    text: `select count(*)::int as all, count(*) filter (where network = $3)::int as of_site from access_mails
           where tenant_id = $1 and lower(recipient) = lower($2) and kind = 'sign_up' and created_at > now() - interval '1 day'`,
    values: [NO_TENANT, email, site_hash],
  });
  return !!mails && mails.all < MAX_MAILS_PER_ADDRESS && mails.of_site < MAX_MAILS_PER_ADDRESS_AND_SITE;
}
