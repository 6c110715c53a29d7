import type { Outcome } from '../contracts/command.js';
import type { Transaction } from '../platform/postgres.js';
import { failed } from './sets.js';

/** How many records of a kind an account may have. */
export interface PlacesOf {
  table: string;
  /** Which of its rows take a place, as SQL about `t`. */
  counted: string;
  most: number;
  /** Said to whoever comes when all are taken. */
  refusal: string;
}

/** Places of some accounts, which a transaction's commands take one after the other. */
export class Places {
  private constructor(
    private readonly taken: Map<string, number>,
    private readonly of: PlacesOf,
  ) {}

  /** Counts what is there. The accounts are locked: of two that each want the last place, one comes second and sees it taken. */
  static async count(
    tx: Transaction,
    commands: readonly { tenantId: string }[],
    of: PlacesOf,
  ): Promise<Places> {
    const tenantIds = [...new Set(commands.map(({ tenantId }) => tenantId))];
    await tx.query({
      name: 'lock-accounts-for-places',
      text: 'select from tenants where tenant_id = any($1::uuid[]) order by tenant_id for no key update',
      values: [tenantIds],
    });
    const rows = await tx.query<{ tenant_id: string; taken: number }>({
      name: `count-places-${of.table}`,
      text: `select own.tenant_id, c.taken from unnest($1::uuid[]) as own(tenant_id) cross join lateral (
               select count(*)::int as taken from ${of.table} t where t.tenant_id = own.tenant_id and ${of.counted}) c`,
      values: [tenantIds],
    });
    return new Places(new Map(rows.map(({ tenant_id, taken }) => [tenant_id, taken])), of);
  }

  /** @returns why there is no place for one more; undefined: it has one */
  take(tenantId: string): Outcome | undefined {
    const taken = this.taken.get(tenantId) ?? 0;
    if (taken >= this.of.most) return failed({ code: 'conflict', message: this.of.refusal });
    this.taken.set(tenantId, taken + 1);
    return undefined;
  }
}
