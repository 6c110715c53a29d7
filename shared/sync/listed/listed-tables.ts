import { deriveUuid } from '../../platform/crypto.js';

/** A table of records that vendors list, such as vehicles, and that people link to records here. */
export interface ListedTable {
  table: string;
  /** The kind of the rows in `external_ids` that are the links. */
  linkKind: string;
  /** The columns that the vendor's list fills, with their SQL types. */
  columns: string;
  /** A record has the same id each time the worker reads it, so that the vendor's id names it. */
  deriveId: (connectionId: string, externalId: string) => string;
}

export const LISTED_VEHICLES: ListedTable = {
  table: 'connection_vehicles',
  linkKind: 'truck',
  columns: 'name text, vin text, plate text, make text, model text, year integer, duty_class text',
  deriveId: (connectionId, externalId) => deriveUuid([connectionId, externalId]),
};

export const LISTED_DRIVERS: ListedTable = {
  table: 'connection_drivers',
  linkKind: 'driver',
  columns: 'name text, phone text',
  // A driver and a vehicle of a vendor may have the same id there.
  deriveId: (connectionId, externalId) => deriveUuid([connectionId, 'driver', externalId]),
};
