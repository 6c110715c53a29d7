import type { CommandOutcome } from '../contracts/command.js';
import type { Transaction } from '../platform/postgres/database.js';
import { failedOutcome } from './outcomes.js';

export interface AccountQuotaRule {
  table: string;
  /** SQL condition on the alias `t` for the rows that count towards the limit. */
  countedRows: string;
  maxRecords: number;
  refusalMessage: string;
}

/**
 * Counts the records of each account and refuses commands that would exceed the limit. All commands
 * of a transaction share one instance, so the count includes the records that earlier commands of
 * the transaction created.
 */
export class AccountQuota {
  private constructor(
    private readonly taken: Map<string, number>,
    private readonly rule: AccountQuotaRule,
  ) {}

  /**
   * Counts the records of the commands' accounts. Locks the accounts first, because concurrent
   * transactions do not see each other's new records. Without the lock, two transactions could
   * together exceed the limit.
   */
  static async load(
    tx: Transaction,
    commands: readonly { tenantId: string }[],
    rule: AccountQuotaRule,
  ): Promise<AccountQuota> {
    const tenantIds = [...new Set(commands.map(({ tenantId }) => tenantId))];
    await tx.query({
      name: 'lock-accounts-for-places',
      text: 'select from tenants where tenant_id = any($1::uuid[]) order by tenant_id for no key update',
      values: [tenantIds],
    });
    const rows = await tx.query<{ tenant_id: string; taken: number }>({
      name: `count-places-${rule.table}`,
      text: `select own.tenant_id, c.taken from unnest($1::uuid[]) as own(tenant_id) cross join lateral (
               select count(*)::int as taken from ${rule.table} t where t.tenant_id = own.tenant_id and ${rule.countedRows}) c`,
      values: [tenantIds],
    });
    return new AccountQuota(new Map(rows.map(({ tenant_id, taken }) => [tenant_id, taken])), rule);
  }

  /**
   * Counts one more record for the tenant.
   * @returns a failed outcome if the limit is reached, otherwise undefined
   */
  reserve(tenantId: string): CommandOutcome | undefined {
    const taken = this.taken.get(tenantId) ?? 0;
    if (taken >= this.rule.maxRecords)
      return failedOutcome({ code: 'conflict', message: this.rule.refusalMessage });
    this.taken.set(tenantId, taken + 1);
    return undefined;
  }
}
