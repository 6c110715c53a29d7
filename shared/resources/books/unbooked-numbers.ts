import type { Database } from '../../platform/postgres/database.js';
import { INVOICE_KIND } from './kinds.js';

/** The subject of the stored choices that holds the numbers which other invoices in books have. */
export const TAKEN_NUMBERS = 'taken_number';

/** Lists the newest invoices of the last 90 days that are released, but not in the books. */
export function listUnbookedNumbers(
  db: Database,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  limit: number,
): Promise<{ id: string; name: string }[]> {
  return db.read(tenantId, {
    name: 'list-unbooked-numbers',
    text: `select i.id, i.invoice_number as name from invoices i
           where i.tenant_id = $1 and i.released_at > now() - interval '90 days' and i.status not in ('void', 'cancelled')
             and not exists (select from external_ids x where x.tenant_id = $1 and x.connection_id = $2
               and x.kind = '${INVOICE_KIND}' and x.local_id = i.id)
           order by i.released_at desc limit $3`,
    values: [tenantId, connectionId, limit],
  });
}
