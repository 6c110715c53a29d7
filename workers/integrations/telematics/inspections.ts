import type { Change } from '../../../shared/integrations/contract/connection.js';
import type { VehicleInspection } from '../../../shared/integrations/contract/telematics.js';
import { newId } from '../../../shared/platform/ids.js';
import { findLinkedTrucks } from '../../../shared/resources/connection-vehicles/links.js';
import { type InspectionReport, recordInspection } from '../../../shared/resources/inspections/commands.js';
import { findEarlierIds, findExternalIds } from '../../../shared/sync/external-ids.js';
import type { RecordKind } from '../records/record-kind.js';
import type { Step } from '../vendor/step.js';
import { getTelematics } from './get-telematics.js';

/**
 * An inspection with the truck to which its vehicle is linked. It is null if the link has ended
 * since the inspection was recorded.
 */
type TruckInspection = VehicleInspection & { truckId: string | null };

/**
 * The record kind `inspection`. Inspections of vehicles without a truck are left out, unless they
 * were recorded before the link ended. Once a person links the vehicle, the stream is read again.
 */
export const inspectionRecords: RecordKind<TruckInspection> = {
  write: () => Promise.reject(new Error('inspections are not written by operations')),
  storeAcceptance: () => undefined,
  buildSuccess: () => [],
  buildFailure: () => [],
  async pull(step, from) {
    const page = await getTelematics(step).pullInspections(await step.open(), from);
    return { ...page, changes: await addTrucks(step, page.changes) };
  },
  adopt: () => newId(),
  buildChanges: (changes) =>
    changes.map(({ change: { fields }, id }) => ({
      type: recordInspection.type,
      entityId: id.local_id,
      input: toReport(fields),
    })),
};

async function addTrucks(
  { db, connection }: Step,
  changes: readonly Change<VehicleInspection>[],
): Promise<Change<TruckInspection>[]> {
  if (changes.length === 0) return [];
  const { tenantId } = connection;
  const externalIds = [...new Set(changes.map(({ fields }) => fields.vehicle))];
  const { trucks, known } = await db.transaction([tenantId], async (tx) => {
    const trucks = await findLinkedTrucks(tx, connection, externalIds);
    const unlinked = changes.filter(({ fields }) => !trucks.has(fields.vehicle));
    const own = await findExternalIds(tx, connection, unlinked);
    const ids = [...own, ...(await findEarlierIds(tx, connection, unlinked))];
    return { trucks, known: new Set(ids.map(({ external_id }) => external_id)) };
  });
  return changes.flatMap((change) => {
    const truckId = trucks.get(change.fields.vehicle) ?? null;
    if (truckId === null && !known.has(change.externalId)) return [];
    // A report is also new if its vehicle has been linked to another truck.
    const version = `${change.version}/${truckId ?? ''}`;
    return [{ ...change, version, fields: { ...change.fields, truckId } }];
  });
}

function toReport(fields: TruckInspection): InspectionReport {
  const { truckId, kind, verdict, defects, odometerMiles, notes, submittedAt, updatedAt } = fields;
  return {
    truck_id: truckId,
    kind,
    verdict,
    defects: defects.map(({ externalId, component, resolvedAt, resolvedBy }) => ({
      external_id: externalId,
      component,
      resolved_at: resolvedAt,
      resolved_by: resolvedBy,
    })),
    odometer_miles: odometerMiles,
    notes,
    submitted_at: submittedAt,
    changed_at: updatedAt,
  };
}
