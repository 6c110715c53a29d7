import { runWithoutFrozen } from '../../platform/frozen/frozen-accounts.js';
import { NO_TENANT, newId } from '../../platform/ids.js';
import type { Database } from '../../platform/postgres/database.js';
import { type RecordRef, refKey } from '../../records/record-refs.js';
import { computeLinkToken, hashLinkToken } from '../access-mails/link-token.js';
import { endResetRequest } from '../access-mails/outbox.js';
import {
  countMailedResets,
  insertResets,
  RESET_MINUTES,
  type ResetCandidate,
} from '../access-mails/reset-rows.js';
import { insertAccessMails, LINK_PLACE, toOneLine } from '../access-mails/store.js';
import { findAccountNames } from '../tenants/find-tenant.js';

/**
 * After a mail, a person gets no second link within this time, unless the first link was used. The
 * first link works for longer than this time, so the person always has a working link. A stranger
 * who sends many requests therefore cannot prevent a reset, until the daily limit is reached.
 */
const MINUTES_BETWEEN_MAILS = 10;
/**
 * Maximum number of resets that are mailed to a person within a day. Requests from networks from
 * which the person has signed in before have a separate limit, which a stranger cannot use up.
 */
const MAILED_PER_DAY = 12;

export interface ResetRequest {
  /** The id of the reset request. */
  id: string;
  email: string;
  /** The people who may sign in with this address. Each belongs to a different account. */
  people: readonly ResetCandidate[];
}

/**
 * Stores a reset and its mail for each person with this address who has not reached a limit.
 * Returns the ids of the accounts that have new mails.
 */
export function mailResets(
  db: Database,
  linkKey: Buffer,
  { id, email, people: candidates }: ResetRequest,
): Promise<string[]> {
  return runWithoutFrozen(
    candidates,
    ({ tenant_id }) => tenant_id,
    (people) => mailWritableResets(db, linkKey, { id, email, people }),
  );
}

async function mailWritableResets(
  db: Database,
  linkKey: Buffer,
  { id, email, people }: ResetRequest,
): Promise<string[]> {
  const tenantIds = [...new Set(people.map(({ tenant_id }) => tenant_id))];
  return db.transaction([NO_TENANT, ...tenantIds], async (tx) => {
    const mailed = new Map(
      (await countMailedResets(tx, people, { email, recentMinutes: MINUTES_BETWEEN_MAILS })).map((row) => [
        refKey(row),
        row,
      ]),
    );
    const due = people.filter((person) => {
      const { today = 0, recent = 0 } = mailed.get(refKey(person)) ?? {};
      return recent === 0 && today < MAILED_PER_DAY;
    });
    await endResetRequest(tx, id, due.length > 0);
    if (due.length === 0) return [];
    const names = await findAccountNames(tx, tenantIds);
    const resets = due.map(({ tenant_id, id: user_id, email: recipient, is_known }) => {
      const resetId = newId();
      const token_hash = hashLinkToken(computeLinkToken(linkKey, 'password-reset', resetId));
      return { tenant_id, id: resetId, user_id, token_hash, recipient, is_known };
    });
    await insertResets(tx, resets);
    await insertAccessMails(
      tx,
      resets.map((reset) => buildMail(reset, toOneLine(names.get(reset.tenant_id) ?? ''))),
    );
    return [...new Set(due.map(({ tenant_id }) => tenant_id))];
  });
}

function buildMail(
  { tenant_id, id, recipient, is_known }: RecordRef & { recipient: string; is_known: boolean },
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
    is_known,
  };
}
