import type { ConnectionDriverListQuery } from '../../contracts/generated.js';
import { LISTED_DRIVERS } from '../../sync/listed/listed-tables.js';
import { defineFleetList } from '../fleet-links/list-linked.js';
import { connectionDriverFields } from './fields.js';

export const listConnectionDrivers = defineFleetList<ConnectionDriverListQuery>(
  LISTED_DRIVERS,
  connectionDriverFields,
);
