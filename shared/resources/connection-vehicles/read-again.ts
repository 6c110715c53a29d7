import { POSITIONS_STREAM } from '../../integrations/contract/telematics.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { makeStreamsDue } from '../../sync/stream-rows.js';

/** After a link, the inspections of this time are read again. */
const INSPECTIONS_BACK_MS = 86_400_000;

/**
 * Reads the latest positions and inspections of a connection again. Those of a vehicle are dropped
 * while it has no truck, so they are needed once it has one.
 */
export function readAgain(
  tx: Transaction,
  { tenant_id, connection_id: id }: { tenant_id: string; connection_id: string },
): Promise<void> {
  const since = new Date(Date.now() - INSPECTIONS_BACK_MS).toISOString();
  const stream = { tenant_id, id, since };
  return makeStreamsDue(tx, [
    { ...stream, stream: POSITIONS_STREAM },
    { ...stream, stream: 'inspections' },
  ]);
}
