import { NO_TENANT, newId } from '../../platform/ids.js';
import type { Database, Transaction } from '../../platform/postgres/database.js';
import { PRODUCT_NAME } from '../../platform/product-name.js';
import { EXTENDED_RETENTION, type ExpiryRule } from '../../records/expiry.js';
import { hashLinkToken } from '../access-mails/link-token.js';
import { insertAccessMails, LINK_PLACE } from '../access-mails/store.js';
import {
  checkSignUpLimitsAgain,
  MAX_OPEN_PER_ADDRESS,
  mayMailSignUp,
  type SignUpRefusal,
} from './sign-up-limits.js';

/**
 * Hours for which the link of a sign-up works. The row is deleted 25 hours after the link stops
 * working, even if the address was never verified.
 */
export const SIGN_UP_HOURS = 24;
/** How many times the mail of one sign-up may be sent. */
const MAX_MAILS = 3;

export interface NewSignUp {
  id: string;
  email: string;
  company: string;
  name: string;
  password_hash: string;
  /** In hex. */
  token_hash: string;
  /** The hash of the operator's token, in hex; null if sign-up is open. */
  invited_by_hash: string | null;
  /** The keyed hash of the site that signs up. */
  site_hash: string;
}

/**
 * Stores a sign-up and its mail, or returns the reason for refusing it. If the address has reached
 * its limit of mails, stores nothing and returns no reason. The client then gets the usual
 * response.
 * Accounts that already have the address make no difference. No account is created before the
 * address is verified.
 * @param perDay the limit for all sign-ups of this deployment within a day
 */
export async function storeSignUp(
  db: Database,
  signUp: NewSignUp,
  perDay: number,
): Promise<SignUpRefusal | undefined> {
  return db.transaction([NO_TENANT], async (tx) => {
    // Without this lock, concurrent sign-ups could together exceed the limits.
    await tx.query({
      name: 'lock-sign-ups',
      text: `select pg_advisory_xact_lock(hashtextextended('sign-ups', 0))`,
    });
    const refusal = await checkSignUpLimitsAgain(tx, signUp, perDay);
    if (refusal) return refusal;
    if (!(await mayMailSignUp(tx, signUp))) return undefined;
    const invitedBy = signUp.invited_by_hash === null ? null : await takeToken(tx, signUp.invited_by_hash);
    if (invitedBy === undefined) return 'no_token';
    await endOldestSignUps(tx, signUp.email);
    const { id, email, company, name, password_hash, token_hash } = signUp;
    await tx.query({
      name: 'insert-sign-up',
      text: `insert into sign_ups (tenant_id, id, email, company, name, password_hash, token_hash, invited_by, expires_at)
             values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), $8, now() + interval '${SIGN_UP_HOURS} hours')`,
      values: [NO_TENANT, id, email, company, name, password_hash, token_hash, invitedBy],
    });
    await insertAccessMails(tx, [{ ...buildMail(id, email), network: signUp.site_hash }]);
    return undefined;
  });
}

/**
 * Ends the oldest open sign-ups of an address to make room for a new one. Otherwise strangers could
 * keep the owner of the address from signing up.
 */
async function endOldestSignUps(tx: Transaction, email: string): Promise<void> {
  await tx.query({
    name: 'end-oldest-sign-ups',
    text: `update sign_ups set expires_at = now() where tenant_id = $1 and id in (
             select id from sign_ups where tenant_id = $1 and lower(email) = lower($2) and completed_at is null and expires_at > now()
             order by created_at desc, id desc offset ${MAX_OPEN_PER_ADDRESS - 1})`,
    values: [NO_TENANT, email],
  });
}

/**
 * Marks an operator's token as used. Returns its id, or undefined if the token is unknown, used or
 * expired.
 */
async function takeToken(tx: Transaction, hash: string): Promise<string | undefined> {
  const [token] = await tx.query<{ id: string }>({
    name: 'take-sign-up-token',
    text: `update sign_up_tokens set used_at = now()
           where tenant_id = $1 and token_hash = decode($2, 'hex') and used_at is null and expires_at > now() returning id`,
    values: [NO_TENANT, hash],
  });
  return token?.id;
}

/** Stores an operator's token, which allows one sign-up. */
export async function insertSignUpToken(
  tx: Transaction,
  { token, days }: { token: string; days: number },
): Promise<{ id: string; expiresAt: Date }> {
  const id = newId();
  const [row] = await tx.query<{ expires_at: Date }>({
    text: `insert into sign_up_tokens (tenant_id, id, token_hash, expires_at)
           values ($1, $2, decode($3, 'hex'), now() + make_interval(days => $4)) returning expires_at`,
    values: [NO_TENANT, id, hashLinkToken(token), days],
  });
  return { id, expiresAt: row?.expires_at as Date };
}

/**
 * Builds the mail without any text that the stranger wrote, because a stranger could use such text
 * for advertising.
 */
function buildMail(id: string, recipient: string) {
  return {
    tenant_id: NO_TENANT,
    kind: 'sign_up' as const,
    recipient,
    subject: 'Verify your address',
    body_text: [
      `Somebody signed up for ${PRODUCT_NAME} with this address.`,
      `Open this link and enter the password that you chose. It works once, for ${SIGN_UP_HOURS} hours:\n${LINK_PLACE}`,
      'If this was not you, ignore this mail. Nothing is created then.',
    ].join('\n\n'),
    link_id: id,
  };
}

/**
 * Sends the mail of the address's newest open sign-up again, unless the sign-up or the address has
 * reached its limit of mails.
 */
export async function resendSignUpMail(db: Database, email: string): Promise<void> {
  await db.transaction([NO_TENANT], async (tx) => {
    if (!(await mayMailSignUp(tx, { email, site_hash: null }))) return;
    const [open] = await tx.query<{ id: string; mails: number }>({
      name: 'find-sign-up-to-resend',
      text: `select s.id, (select count(*)::int from access_mails m where m.tenant_id = s.tenant_id and lower(m.recipient) = lower(s.email)
               and m.link_id = s.id) as mails
             from sign_ups s where s.tenant_id = $1 and lower(s.email) = lower($2) and s.completed_at is null and s.expires_at > now()
             order by s.created_at desc limit 1 for update`,
      values: [NO_TENANT, email],
    });
    if (open && open.mails < MAX_MAILS) await insertAccessMails(tx, [buildMail(open.id, email)]);
  });
}

export interface OpenSignUp {
  id: string;
  email: string;
  company: string;
  name: string;
  password_hash: string;
  expires_at: Date;
}

const OPEN_COLUMNS = 'id, email, company, name, password_hash, expires_at';

/**
 * Finds the sign-up that a link opens. Returns undefined if the link is unknown, used or expired.
 */
export async function findOpenSignUp(db: Database, token: string): Promise<OpenSignUp | undefined> {
  const [row] = await db.read<OpenSignUp>(NO_TENANT, {
    name: 'find-open-sign-up',
    text: `select ${OPEN_COLUMNS} from sign_ups where tenant_id = $1 and token_hash = decode($2, 'hex')
             and completed_at is null and expires_at > now()`,
    values: [NO_TENANT, hashLinkToken(token)],
  });
  return row;
}

/** Marks sign-ups as completed, and returns those that were still open. */
export async function completeSignUpRows(
  tx: Transaction,
  ids: readonly string[],
): Promise<Map<string, OpenSignUp>> {
  const rows = await tx.query<OpenSignUp>({
    name: 'complete-sign-ups',
    text: `update sign_ups set completed_at = now() where tenant_id = $1 and id = any($2::uuid[])
             and completed_at is null and expires_at > now() returning ${OPEN_COLUMNS}`,
    values: [NO_TENANT, ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

export const EXPIRED_SIGN_UPS: ExpiryRule = {
  table: 'sign_ups',
  condition: `o.expires_at < now() - ${EXTENDED_RETENTION}`,
};

export const EXPIRED_SIGN_UP_TOKENS: ExpiryRule = {
  table: 'sign_up_tokens',
  condition: `o.expires_at < now() - ${EXTENDED_RETENTION}`,
};
