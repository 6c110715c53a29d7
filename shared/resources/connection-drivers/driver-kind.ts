import { LISTED_DRIVERS } from '../../sync/listed/listed-tables.js';
import { driverTable } from '../drivers/table.js';
import type { LinkKind } from '../fleet-links/link-kind.js';
import { connectionDriverTable } from './table.js';

export const DRIVERS: LinkKind = {
  ...LISTED_DRIVERS,
  linkedStreams: ['inspections'],
  listedTable: connectionDriverTable,
  target: driverTable,
  targetMember: 'driver_id',
};
