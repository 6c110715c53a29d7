import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { isInSessionTenants } from '../../records/session-tenants.js';
import type { RowSweep } from '../../records/sweeps/schedule.js';

/**
 * Clears what offers hold about the motorist, 30 days after their last change. Events are kept as
 * long. An accepted offer has left the name, the phone number and the notes in its work order.
 */
export async function clearOldContacts(tx: Transaction, limit: number): Promise<number> {
  const rows = await tx.query({
    name: 'clear-club-contacts',
    text: `with old as (
             select o.tenant_id, o.id from club_offers o
             where ${isInSessionTenants('o')} and o.updated_at < now() - interval '30 days'
               and (o.contact_name is not null or o.contact_phone is not null or o.notes is not null)
             limit $1 for update of o skip locked)
           update club_offers t set contact_name = null, contact_phone = null, notes = null, updated_at = ${nextUpdatedAtSql('t')}
           from old where t.tenant_id = old.tenant_id and t.id = old.id returning t.id`,
    values: [limit],
  });
  return rows.length;
}

export const clubContactSweep: RowSweep = {
  name: 'clear-club-contacts',
  everyMs: 10 * 60_000,
  changeRows: clearOldContacts,
  limit: 1_000,
  repeatForMs: 1_000,
};
