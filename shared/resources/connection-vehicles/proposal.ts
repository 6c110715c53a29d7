import { LISTED_VEHICLES } from '../../sync/listed/listed-tables.js';
import { isFreeSql } from '../fleet-links/links.js';

/**
 * Returns SQL for the truck that the vehicle `alias` probably is: one with its VIN, else one whose
 * unit number is its name. Trucks that are linked to another vehicle of the connection are left
 * out. Compares the usual spellings, because no index serves a comparison that ignores case.
 */
export function findProposalSql(alias: string): string {
  const find = (rank: number, matchedBy: string, condition: string) =>
    `(select k.id, k.unit_number, '${matchedBy}' as matched_by, ${rank} as rank, k.created_at from trucks k
      where k.tenant_id = ${alias}.tenant_id and ${condition} and ${isFreeSql(LISTED_VEHICLES, alias)} order by k.created_at, k.id limit 1)`;
  const spell = (column: string) =>
    `any(array[${alias}.${column}, ${['upper', 'lower', 'initcap'].map((change) => `${change}(${alias}.${column})`).join(', ')}])`;
  return `select * from (${find(1, 'vin', `k.vin = ${spell('vin')}`)}
    union all ${find(2, 'unit_number', `k.unit_number = ${spell('name')}`)}) b order by b.rank limit 1`;
}
