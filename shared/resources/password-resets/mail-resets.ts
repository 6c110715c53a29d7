import { NO_TENANT, newId } from '../../platform/ids.js';
import type { Database } from '../../platform/postgres/database.js';
import { computeLinkToken, hashLinkToken } from '../access-mails/link-token.js';
import { countMailedRequests, endResetRequest } from '../access-mails/outbox.js';
import { insertAccessMails, LINK_PLACE, toOneLine } from '../access-mails/store.js';
import type { SignInCandidate } from '../sessions/queries.js';
import { findAccountNames } from '../tenants/find-tenant.js';
import { insertResets, RESET_MINUTES } from './reset-rows.js';

/**
 * At most one request per address leads to mails within this time. It is shorter than a link's
 * life: whenever a request is ignored, a link that works is in the mailbox already. So nobody can
 * keep a person from a reset by asking for too many.
 */
const MINUTES_BETWEEN_MAILS = 10;
/**
 * How many requests per address lead to mails within a day. Requests from networks from which the
 * person has signed in before have a limit of their own, which a stranger cannot use up.
 */
const MAILED_REQUESTS_PER_DAY = 12;

export interface ResetRequest {
  /** The id of the request's row. */
  id: string;
  email: string;
  /** The people who may sign in with this address, each in another account. */
  people: readonly SignInCandidate[];
  /** True if one of these people has signed in before from the network of the request. */
  isKnown: boolean;
}

/**
 * Stores a reset and its mail for each account that has the address, or nothing if there were too
 * many requests. Returns the accounts with mails.
 */
export async function mailResets(
  db: Database,
  linkKey: Buffer,
  { id, email, people, isKnown }: ResetRequest,
): Promise<string[]> {
  const tenantIds = [...new Set(people.map(({ tenant_id }) => tenant_id))];
  return db.transaction([NO_TENANT, ...tenantIds], async (tx) => {
    const mailed = await countMailedRequests(tx, {
      recipient: email,
      isKnown,
      recentMinutes: MINUTES_BETWEEN_MAILS,
    });
    const hasMails = people.length > 0 && mailed.recent === 0 && mailed.today < MAILED_REQUESTS_PER_DAY;
    await endResetRequest(tx, id, { isKnown, hasMails });
    if (!hasMails) return [];
    const names = await findAccountNames(tx, tenantIds);
    const resets = people.map(({ tenant_id, id: user_id, email: recipient }) => {
      const resetId = newId();
      const token_hash = hashLinkToken(computeLinkToken(linkKey, 'password-reset', resetId));
      return { tenant_id, id: resetId, user_id, token_hash, recipient };
    });
    await insertResets(tx, resets);
    await insertAccessMails(
      tx,
      resets.map((reset) => buildMail(reset, toOneLine(names.get(reset.tenant_id) ?? ''))),
    );
    return tenantIds;
  });
}

function buildMail(
  { tenant_id, id, recipient }: { tenant_id: string; id: string; recipient: string },
  account: string,
) {
  return {
    tenant_id,
    kind: 'password_reset' as const,
    recipient,
    subject: `Set a new password for ${account}`,
    body_text: [
      `Somebody asked for a new password of ${recipient} for ${account}.`,
      `Set it here. The link works once, for ${RESET_MINUTES} minutes:\n${LINK_PLACE}`,
      'If this was not you, ignore this mail. Your password stays as it is.',
    ].join('\n\n'),
    link_id: id,
  };
}
