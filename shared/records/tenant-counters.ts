import type { Transaction } from '../platform/postgres/database.js';
import { recordsetSql } from './record-refs.js';

type CounterName = 'invoice_number' | 'job_number';

/**
 * Builds SQL that increases a counter of each tenant, as part of a larger query. `rows` names a
 * common table expression with the column tenant_id. The SQL returns tenant_id and value, the
 * tenant's last consumed number. The counter stays locked until the transaction ends.
 * @param step SQL for the number of values that each row consumes
 */
export function countUpSql(name: CounterName, { rows, step }: { rows: string; step: string }): string {
  return `insert into tenant_counters as c (tenant_id, name, value)
             select tenant_id, '${name}', count(*) * ${step} from ${rows} group by tenant_id order by tenant_id
             on conflict (tenant_id, name) do update set value = c.value + excluded.value
             returning c.tenant_id, c.value`;
}

/**
 * Sets counters to new values. Call this function in the transaction that increased the counters,
 * because they stay locked until that transaction ends.
 */
export async function setCounters(
  tx: Transaction,
  name: CounterName,
  counters: readonly { tenant_id: string; value: number }[],
): Promise<void> {
  await tx.query({
    name: `set-${name}-counters`,
    text: `update tenant_counters c set value = r.value from ${recordsetSql('tenant_id uuid, value bigint')}
           where c.tenant_id = r.tenant_id and c.name = '${name}'`,
    values: [JSON.stringify(counters)],
  });
}
