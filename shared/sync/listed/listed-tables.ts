/** A table of records that vendors list, such as vehicles, and that people link to records here. */
export interface ListedTable {
  table: string;
  /** The kind of the rows in `external_ids` that are the links. */
  linkKind: string;
  /** The columns that the vendor's list fills, with their SQL types. */
  columns: string;
}

export const LISTED_VEHICLES: ListedTable = {
  table: 'connection_vehicles',
  linkKind: 'truck',
  columns: 'name text, vin text, plate text, make text, model text, year integer, duty_class text',
};

export const LISTED_DRIVERS: ListedTable = {
  table: 'connection_drivers',
  linkKind: 'driver',
  columns: 'name text, phone text',
};
