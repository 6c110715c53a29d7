import { AppError } from '../errors.js';

/** The time after which a client of a frozen account should try again, in seconds. */
const RETRY_AFTER_SECONDS = '2';

/**
 * Thrown instead of a commit for accounts that move to another deployment (docs/guides/cells.md).
 * Nothing was written. The same request succeeds after the move.
 */
export class AccountFrozenError extends AppError {
  /** @param tenantIds the frozen tenants among those of the transaction */
  constructor(readonly tenantIds: readonly string[]) {
    super(
      'service_unavailable',
      'This account is moving to another server and takes no writes for a moment. Send the request again with the same Idempotency-Key.',
      { headers: { 'Retry-After': RETRY_AFTER_SECONDS } },
    );
    this.name = 'AccountFrozenError';
  }
}

/**
 * Finds the frozen tenants among those of a transaction. Runs at the start of the transaction.
 * `tow accounts freeze` waits until every transaction that began before the freeze has ended.
 */
export const FIND_FROZEN_ACCOUNTS = {
  name: 'find-frozen-accounts',
  text: 'select f.tenant_id from frozen_accounts f where f.tenant_id = any ($1::uuid[])',
};

/** Lists the frozen tenants among those that the session names. */
export const LIST_FROZEN_ACCOUNTS = { text: 'select f.tenant_id from frozen_accounts f' };

/**
 * Runs `work` for the items of several accounts. If some accounts are frozen, runs it again without
 * their items, so that the other accounts do not wait. For the caller, the items of frozen accounts
 * then do not exist.
 */
export async function runWithoutFrozen<Item, Result>(
  items: readonly Item[],
  tenantOf: (item: Item) => string,
  work: (items: Item[]) => Promise<Result>,
): Promise<Result> {
  try {
    return await work([...items]);
  } catch (error) {
    if (!(error instanceof AccountFrozenError)) throw error;
    const others = items.filter((item) => !error.tenantIds.includes(tenantOf(item)));
    // If the error names no account of the items, another run would fail again.
    if (others.length === items.length) throw error;
    return runWithoutFrozen(others, tenantOf, work);
  }
}
