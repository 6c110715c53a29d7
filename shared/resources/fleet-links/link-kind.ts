import type { ReferencedTable } from '../../records/references.js';
import type { ResourceTable } from '../../records/resource-table.js';
import type { LinkedTable } from '../../sync/listed/listed-rows.js';

/** A kind of records that vendors list, and the records here to which people link them. */
export interface LinkKind extends LinkedTable {
  listedTable: ResourceTable;
  /** The resource here: a vehicle is linked to a truck. */
  target: ReferencedTable;
  /** The member of a link that names the record here, such as `truck_id`. */
  targetMember: string;
}
