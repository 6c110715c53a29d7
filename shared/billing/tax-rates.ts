import type { Transaction } from '../platform/postgres/database.js';
import { recordsetSql, refKey } from '../records/record-refs.js';

/** Rates are in basis points. */
export interface TaxRates {
  /**
   * Returns the customer's rate or, without a customer (null), the tenant's rate. Returns undefined
   * if the tenant does not have this customer.
   */
  rateFor(tenantId: string, customerId: string | null): number | undefined;
}

interface TenantAndCustomer {
  tenantId: string;
  customerId: string | null;
}

interface RateRow {
  tenant_id: string;
  id: string | null;
  known: boolean;
  rate: number;
}

/**
 * The SQL for a tax rate in basis points. The query must name the tables `t` (tenants) and `c`
 * (customers, outer join).
 */
export const TAX_RATE = 'case when c.tax_exempt then 0 else coalesce(c.tax_rate_bps, t.tax_rate_bps) end';

/**
 * Finds the tax rate of each pair of tenant and customer: the customer's rate, or else the tenant's
 * rate. The rate is 0 if the customer is exempt (docs/decisions.md §3, Money).
 */
export async function findTaxRates(tx: Transaction, pairs: TenantAndCustomer[]): Promise<TaxRates> {
  const unique = new Map(
    pairs.map(({ tenantId, customerId }) => [
      refKey({ tenant_id: tenantId, id: customerId ?? '' }),
      { tenant_id: tenantId, id: customerId },
    ]),
  );
  const rows = await tx.query<RateRow>({
    name: 'tax-rates',
    text: `select r.tenant_id, r.id, (r.id is null or c.id is not null) as known,
                  ${TAX_RATE} as rate
           from ${recordsetSql('tenant_id uuid, id uuid')}
           join tenants t on t.tenant_id = r.tenant_id
           left join customers c on c.tenant_id = r.tenant_id and c.id = r.id`,
    values: [JSON.stringify([...unique.values()])],
  });
  const rates = new Map(
    rows.map((row) => [
      refKey({ tenant_id: row.tenant_id, id: row.id ?? '' }),
      row.known ? row.rate : undefined,
    ]),
  );
  return {
    rateFor: (tenantId, customerId) => rates.get(refKey({ tenant_id: tenantId, id: customerId ?? '' })),
  };
}
