import { deriveUuid } from '../../platform/crypto.js';

/**
 * Derives the id of a vendor's vehicle, so that a path with the vendor's id names it. A vehicle has
 * the same id each time the worker reads it.
 */
export function deriveVehicleId(connectionId: string, externalId: string): string {
  return deriveUuid([connectionId, externalId]);
}
