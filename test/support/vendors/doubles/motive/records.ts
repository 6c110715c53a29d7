import {
  DEFECT_LABEL,
  type Fleet,
  type FleetDefect,
  type FleetDriver,
  type FleetReport,
  type FleetVehicle,
  MECHANIC,
} from '../fleet/fleet.js';

/** A vehicle with the fields that Motive returns. */
export function toVehicle(fleet: Fleet, { id, name, vin, plate, make, model, year }: FleetVehicle) {
  return {
    id: Number(id),
    company_id: Number(fleet.id),
    number: name,
    status: 'active',
    ifta: true,
    metric_units: false,
    fuel_type: 'diesel',
    vin: vin ?? null,
    make: make ?? null,
    model: model ?? null,
    year: year ?? null,
    license_plate_state: null,
    license_plate_number: plate ?? null,
    current_driver: null,
  };
}

/** A driver with the fields that Motive returns of its users. */
export function toUser({ id, name, phone, updatedAt }: FleetDriver) {
  const [first, ...others] = name.split(' ');
  return {
    id: Number(id),
    first_name: first,
    last_name: others.join(' '),
    email: null,
    username: null,
    phone: phone ?? null,
    phone_ext: null,
    role: 'driver',
    status: 'active',
    updated_at: updatedAt,
  };
}

/** A vehicle with its position that Motive received last. */
export function toLocatedVehicle({ samples }: Fleet, vehicle: FleetVehicle) {
  const { id, name, vin, make, model, year } = vehicle;
  const last = samples.findLast(({ vehicleId }) => vehicleId === id);
  const location = last && {
    lat: last.lat,
    lon: last.lng,
    description: 'Albany, NY',
    located_at: last.time,
    bearing: last.heading,
    type: 'breadcrumb',
    speed: last.mph,
    odometer: last.calculatedMiles ?? null,
    true_odometer: last.odometerMiles ?? null,
  };
  return {
    id: Number(id),
    number: name,
    year: year ?? null,
    make: make ?? null,
    model: model ?? null,
    vin: vin ?? null,
    current_location: location ?? null,
    current_driver: null,
  };
}

/**
 * A report with its parts. A report without a defect of its own that is not safe has a part without
 * a name, because Motive knows no verdict.
 */
export function toInspectionReport(report: FleetReport) {
  const {
    id,
    vehicleId,
    driverId,
    kind,
    verdict,
    defects,
    submittedAt,
    updatedAt,
    odometerMiles,
    mechanicNotes,
  } = report;
  const isResolved = verdict === 'resolved';
  const parts = defects.map((defect) => toPart(defect, { verdict, mechanicNotes }));
  return {
    id: Number(id),
    date: submittedAt.slice(0, 10),
    time: submittedAt,
    updated_at: updatedAt,
    odometer: odometerMiles,
    inspection_type: kind,
    entity_type: 'vehicle',
    status: isResolved ? 'resolved' : verdict === 'unsafe' || parts.length > 0 ? 'open' : 'acceptable',
    is_rejected: verdict !== 'safe' && parts.length === 0,
    vehicle: { id: Number(vehicleId), number: 'T-1' },
    driver: driverId === undefined ? null : { id: Number(driverId), role: 'driver' },
    mechanic_signed_at: null,
    inspected_parts: [{ id: 1, category: 'Horn', type: 'none', status: 'good' }, ...parts],
  };
}

function toPart(
  { id, comment, resolvedAt }: FleetDefect,
  { verdict, mechanicNotes }: { verdict: FleetReport['verdict']; mechanicNotes: string | undefined },
) {
  const severity = verdict === 'safe' ? 'minor' : 'major';
  return {
    id: Number(id),
    category: DEFECT_LABEL,
    type: severity,
    status: resolvedAt === undefined ? 'open' : 'repaired',
    defects: [{ title: comment, severity }],
    ...(resolvedAt === undefined
      ? {}
      : {
          mechanic_details: {
            mechanic_name: MECHANIC,
            mechanic_signed_at: resolvedAt,
            mechanic_note: mechanicNotes ?? null,
          },
        }),
  };
}
