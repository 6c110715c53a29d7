import { chargedDays, invoicedDays, MAX_CLIENT_CLOCK_SKEW } from '../../billing/storage-days.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';

export interface StorageStay extends RecordRef {
  /** RFC 3339 time. */
  until: string;
  charged_days: number;
  invoiced_days: number;
  is_before_start: boolean;
  is_future: boolean;
}

/**
 * Returns the charged and the invoiced storage days of each impound, by `refKey`. If `until` is
 * null, days are charged until now. The caller must have locked the impounds.
 */
export async function calculateStorageStays(
  tx: Transaction,
  requests: (RecordRef & { until: string | null })[],
): Promise<Map<string, StorageStay>> {
  const rows = await tx.query<StorageStay>({
    name: 'impound-stays',
    text: `select i.tenant_id, i.id, to_json(u.until)#>>'{}' as until, ${chargedDays('i', 'u.until')} as charged_days,
             ${invoicedDays('i')} as invoiced_days, u.until < i.impounded_at as is_before_start, u.until > now() + ${MAX_CLIENT_CLOCK_SKEW} as is_future
           from ${recordsetSql('tenant_id uuid, id uuid, until timestamptz')}
           join impounds i on i.tenant_id = r.tenant_id and i.id = r.id
           join tenants t on t.tenant_id = i.tenant_id
           cross join lateral (select coalesce(r.until, now()) as until) u`,
    values: [JSON.stringify(requests)],
  });
  return new Map(rows.map((row) => [refKey(row), row]));
}
