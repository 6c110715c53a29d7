import { POSITIONS_STREAM } from '../../integrations/contract/telematics.js';
import { deriveUuid } from '../../platform/crypto.js';
import { LISTED_VEHICLES } from '../../sync/listed/listed-tables.js';
import type { LinkKind } from '../fleet-links/link-kind.js';
import { truckTable } from '../trucks/table.js';
import { connectionVehicleTable } from './table.js';

export const VEHICLES: LinkKind = {
  ...LISTED_VEHICLES,
  deriveId: (connectionId, externalId) => deriveUuid([connectionId, externalId]),
  linkedStreams: [POSITIONS_STREAM, 'inspections'],
  listedTable: connectionVehicleTable,
  target: truckTable,
  targetMember: 'truck_id',
};
