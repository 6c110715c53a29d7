import {
  DEFECT_LABEL,
  type Fleet,
  type FleetDriver,
  type FleetReport,
  type FleetSample,
  type FleetVehicle,
  MECHANIC,
} from '../fleet/fleet.js';

/** The only type of defects. */
export const DEFECT_TYPE = { id: '25d6151e-29b5-453e-875a-7c5425332e09', label: DEFECT_LABEL };

/** A vehicle with the fields that Samsara returns. */
export function toVehicle({ id, name, vin, plate, make, model, year, pounds, ...times }: FleetVehicle) {
  return {
    id,
    name,
    vin,
    licensePlate: plate,
    make,
    model,
    year,
    vehicleWeightInPounds: pounds,
    createdAtTime: times.createdAt,
    updatedAtTime: times.updatedAt,
  };
}

/** A driver with the fields that Samsara returns. */
export function toDriver({ id, name, phone, ...times }: FleetDriver) {
  return {
    id,
    name,
    ...(phone === undefined ? {} : { phone }),
    driverActivationStatus: 'active',
    createdAtTime: times.createdAt,
    updatedAtTime: times.updatedAt,
  };
}

const toMeters = (miles: number) => Math.round(miles * 1609.344);

/** Returns the samples of each vehicle, by the types that Samsara was asked for. */
export function groupSamples(
  { vehicles }: Fleet,
  samples: readonly FleetSample[],
  types: readonly string[],
): object[] {
  const list = (type: string, found: readonly object[]) =>
    types.includes(type) && found.length > 0 ? { [type]: found } : {};
  const listMeters = (type: string, id: string, read: (sample: FleetSample) => number | undefined) => {
    const own = samples.filter((sample) => sample.vehicleId === id);
    return list(
      type,
      own.flatMap((sample) => {
        const miles = read(sample);
        return miles === undefined ? [] : [{ time: sample.time, value: toMeters(miles) }];
      }),
    );
  };
  const ids = [...new Set(samples.map(({ vehicleId }) => vehicleId))];
  return ids.map((id) => ({
    id,
    name: vehicles.find((vehicle) => vehicle.id === id)?.name ?? id,
    ...list(
      'gps',
      samples
        .filter(({ vehicleId }) => vehicleId === id)
        .map(({ time, lat, lng, heading, mph }) => ({
          time,
          latitude: lat,
          longitude: lng,
          headingDegrees: heading,
          speedMilesPerHour: mph,
          reverseGeo: { formattedLocation: 'NY' },
        })),
    ),
    ...listMeters('obdOdometerMeters', id, ({ odometerMiles }) => odometerMiles),
    ...listMeters('gpsOdometerMeters', id, ({ calculatedMiles }) => calculatedMiles),
  }));
}

export function toDvir(report: FleetReport) {
  const {
    id,
    kind,
    verdict,
    vehicleId,
    driverId,
    defects,
    submittedAt,
    updatedAt,
    odometerMiles,
    mechanicNotes,
  } = report;
  return {
    id,
    type: kind === 'pre_trip' ? 'preTrip' : 'postTrip',
    safetyStatus: verdict,
    vehicle: { id: vehicleId },
    defectIds: defects.map((defect) => defect.id),
    dvirSubmissionBeginTime: submittedAt,
    dvirSubmissionTime: submittedAt,
    updatedAtTime: updatedAt,
    odometerMeters: toMeters(odometerMiles),
    authorSignature: {
      signatoryUser: { id: driverId ?? '938172' },
      signedAtTime: submittedAt,
      type: driverId === undefined ? 'mechanic' : 'driver',
    },
    ...(mechanicNotes === undefined ? {} : { mechanicNotes }),
  };
}

export function listDefects({ id: dvirId, vehicleId, defects }: FleetReport) {
  return defects.map(({ id, comment, createdAt, updatedAt, resolvedAt }) => ({
    id,
    dvirId,
    comment,
    defectTypeId: DEFECT_TYPE.id,
    isResolved: resolvedAt !== undefined,
    createdAtTime: createdAt,
    updatedAtTime: updatedAt,
    vehicle: { id: vehicleId },
    ...(resolvedAt === undefined
      ? {}
      : { resolvedAtTime: resolvedAt, resolvedBy: { id: '8172', name: MECHANIC, type: 'mechanic' } }),
  }));
}
