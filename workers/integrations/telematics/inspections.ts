import type { Change } from '../../../shared/integrations/contract/connection.js';
import type { VehicleInspection } from '../../../shared/integrations/contract/telematics.js';
import { newId } from '../../../shared/platform/ids.js';
import { findLinked } from '../../../shared/resources/fleet-links/links.js';
import { type InspectionReport, recordInspection } from '../../../shared/resources/inspections/commands.js';
import { findEarlierIds, findExternalIds } from '../../../shared/sync/external-ids.js';
import { LISTED_DRIVERS, LISTED_VEHICLES } from '../../../shared/sync/listed/listed-tables.js';
import type { RecordKind } from '../records/record-kind.js';
import type { Step } from '../vendor/step.js';
import { getTelematics } from './get-telematics.js';

/**
 * An inspection with the truck to which its vehicle is linked, and the driver here to whom its
 * driver is. The truck is null if the link has ended since the inspection was recorded.
 */
type TruckInspection = VehicleInspection & { truckId: string | null; driverId: string | null };

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
    return { ...page, changes: await addLinked(step, page.changes) };
  },
  adopt: () => newId(),
  buildChanges: (changes) =>
    changes.map(({ change: { fields }, id }) => ({
      type: recordInspection.type,
      entityId: id.local_id,
      input: toReport(fields),
    })),
};

async function addLinked(
  { db, connection }: Step,
  changes: readonly Change<VehicleInspection>[],
): Promise<Change<TruckInspection>[]> {
  if (changes.length === 0) return [];
  const { tenantId } = connection;
  const vehicles = [...new Set(changes.map(({ fields }) => fields.vehicle))];
  const reporters = [...new Set(changes.flatMap(({ fields }) => fields.driver ?? []))];
  const { trucks, drivers, known } = await db.transaction([tenantId], async (tx) => {
    const trucks = await findLinked(tx, LISTED_VEHICLES, { ...connection, externalIds: vehicles });
    const drivers = await findLinked(tx, LISTED_DRIVERS, { ...connection, externalIds: reporters });
    const unlinked = changes.filter(({ fields }) => !trucks.has(fields.vehicle));
    const own = await findExternalIds(tx, connection, unlinked);
    const ids = [...own, ...(await findEarlierIds(tx, connection, unlinked))];
    return { trucks, drivers, known: new Set(ids.map(({ external_id }) => external_id)) };
  });
  return changes.flatMap((change) => {
    const truckId = trucks.get(change.fields.vehicle) ?? null;
    if (truckId === null && !known.has(change.externalId)) return [];
    const driverId = drivers.get(change.fields.driver ?? '') ?? null;
    // A report is also new if its vehicle or its driver has been linked to another record here.
    const version = [change.version, truckId ?? '', ...(driverId === null ? [] : [driverId])].join('/');
    return [{ ...change, version, fields: { ...change.fields, truckId, driverId } }];
  });
}

function toReport(fields: TruckInspection): InspectionReport {
  const { truckId, driverId, kind, verdict, defects, odometerMiles, notes, submittedAt, updatedAt } = fields;
  return {
    truck_id: truckId,
    driver_id: driverId,
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
