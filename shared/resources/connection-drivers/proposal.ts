import { selectLinkedSql } from '../../sync/listed/listed-rows.js';
import { LISTED_DRIVERS } from '../../sync/listed/listed-tables.js';
import { isFreeSql } from '../fleet-links/links.js';

/**
 * Returns SQL for the driver here who the vendor's driver `alias` probably is: the only one with
 * the same phone number, else the only one with the same name. Inactive drivers are left out, and
 * those who are linked to another driver of the connection. A number or name that several of the
 * vendor's drivers without a link have names none of them. The compared columns are generated: the
 * number in E.164, and the name without case and spaces.
 */
export function findProposalSql(alias: string): string {
  const find = (rank: number, matchedBy: string, column: string) => {
    const candidates = `select k.id, k.name from drivers k where k.tenant_id = ${alias}.tenant_id and k.${column} = ${alias}.${column}
      and k.status = 'active' and ${isFreeSql(LISTED_DRIVERS, alias)} limit 2`;
    const namesakes = `select from connection_drivers o where o.tenant_id = ${alias}.tenant_id and o.connection_id = ${alias}.connection_id
      and o.${column} = ${alias}.${column} and o.id <> ${alias}.id and o.removed_at is null and ${selectLinkedSql(LISTED_DRIVERS.linkKind, 'o')} is null`;
    return `(select (array_agg(f.id))[1] as id, (array_agg(f.name))[1] as name, '${matchedBy}' as matched_by, ${rank} as rank
      from (${candidates}) f having count(*) = 1 and not exists (${namesakes}))`;
  };
  return `select * from (${find(1, 'phone', 'phone_e164')} union all ${find(2, 'name', 'name_key')}) b order by b.rank limit 1`;
}
