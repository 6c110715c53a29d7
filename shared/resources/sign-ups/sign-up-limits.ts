import { hmacSha256 } from '../../platform/crypto.js';
import { NO_TENANT } from '../../platform/ids.js';
import type { Database, SqlQuery, Transaction } from '../../platform/postgres/database.js';

/**
 * Maximum number of sign-ups per day and site for which a mail is sent. A site is the block of
 * addresses that `findSitePrefix` returns.
 */
const MAX_MAILED_PER_SITE = 20;
/**
 * Maximum number of sign-up mails to one address within a day. The first limit counts the sign-ups
 * of all sites together, and the second limit those of one site. Further sign-ups get the usual
 * response but no mail, so that strangers cannot flood a mailbox.
 */
const MAX_MAILS_PER_ADDRESS = 10;
const MAX_MAILS_PER_ADDRESS_AND_SITE = 5;
/** Maximum number of working sign-up links per address. A further sign-up ends the oldest link. */
export const MAX_OPEN_PER_ADDRESS = 3;

export type SignUpRefusal = 'no_token' | 'too_many' | 'too_many_of_site';

interface Origin {
  /** The hash of the site that signs up, from {@link hashSite}. */
  site_hash: string;
  /** The hash of the operator's token, in hex; null if sign-up is open. */
  invited_by_hash: string | null;
}

/**
 * Returns a keyed hash of a site. Without a secret key, anyone who reads the table could find the
 * site by hashing all possible sites.
 */
export function hashSite(key: Buffer, site: string): string {
  return hmacSha256(key, `sign-up site ${site}`).toString('base64url');
}

/**
 * Checks the limits that do not depend on the address. Runs before the password is hashed, because
 * hashing is expensive. `checkSignUpLimitsAgain` repeats the check later, because concurrent
 * sign-ups may reach a limit in between.
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

/**
 * Repeats the check of {@link checkSignUpLimits} within the transaction that stores the sign-up.
 */
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
 * Builds the query that counts the sign-ups for the limits. It joins the table of mails, because
 * that table's column `network` contains the site's hash.
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
 * True if another sign-up mail may be sent to the address. With `site_hash`, also checks the limit
 * of the mails that this site has caused.
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
