import { deriveUuid } from '../../platform/crypto.js';
import { LISTED_DRIVERS } from '../../sync/listed/listed-tables.js';
import { driverTable } from '../drivers/table.js';
import type { LinkKind } from '../fleet-links/link-kind.js';
import { connectionDriverTable } from './table.js';

export const DRIVERS: LinkKind = {
  ...LISTED_DRIVERS,
  // A driver and a vehicle of a vendor may have the same id there.
  deriveId: (connectionId, externalId) => deriveUuid([connectionId, 'driver', externalId]),
  linkedStreams: ['inspections'],
  listedTable: connectionDriverTable,
  target: driverTable,
  targetMember: 'driver_id',
};
