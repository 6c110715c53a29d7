import { NO_TENANT } from '../../platform/ids.js';
import type { Database } from '../../platform/postgres/database.js';
import { insertAccessMails } from './store.js';

/** Maximum number of reset requests that may wait for the worker. */
const MAX_WAITING = 10_000;

/**
 * Stores a request for a new password. Only the worker looks up whether the address has an account.
 * Neither the response nor its duration therefore shows whether the account exists.
 * @returns false if too many requests wait
 */
export function storeResetRequest(
  db: Database,
  request: { email: string; network: string },
): Promise<boolean> {
  return db.transaction([NO_TENANT], async (tx) => {
    const [waiting] = await tx.query<{ count: number }>({
      name: 'count-waiting-access-mails',
      text: `select count(*)::int as count from access_mails where tenant_id = $1 and state = 'queued'`,
      values: [NO_TENANT],
    });
    if (!waiting || waiting.count >= MAX_WAITING) return false;
    await insertAccessMails(tx, [
      { tenant_id: NO_TENANT, kind: 'reset_request', recipient: request.email, network: request.network },
    ]);
    return true;
  });
}
