import { describeDrive } from '../../../shared/resources/trucks/current-drive.js';
import type { DrivenWorkOrder } from '../../../shared/resources/work-order-links/driver-queries.js';
import { isTowed } from '../../../shared/resources/work-order-links/is-towed.js';
import { MAX_PHOTOS } from '../../../shared/resources/work-order-photos/fields.js';
import { DRIVER_STEPS } from '../../../shared/resources/work-orders/transitions.js';
import { MAX_PHOTO_BYTES, PHOTO_TYPES } from '../../photos/convert-photo.js';
import { toTelHref } from '../to-tel-href.js';
import { findFirstName } from '../tracking/first-name.js';
import { formatTime } from '../tracking/format-time.js';
import type { DriverState, Fact, Payments, PlannedStep } from './driver-contract.js';

const ALWAYS: PlannedStep[] = [
  { id: 'acknowledged', action: 'Accept', done: 'Accepted' },
  { id: 'en_route', action: 'I am on my way', done: 'On the way' },
  { id: 'on_scene', action: 'I am at the vehicle', done: 'At the vehicle' },
];
const WITH_TOW: PlannedStep[] = [
  { id: 'hooked', action: 'The vehicle is loaded', done: 'Vehicle loaded' },
  { id: 'towing', action: 'I am towing', done: 'Towing' },
  { id: 'at_destination', action: 'I am at the drop-off', done: 'At the drop-off' },
];
/** The texts for steps that the position of the truck shows. */
const PROPOSALS = {
  on_scene: 'You seem to be at the pickup.',
  at_destination: 'You seem to be at the drop-off.',
};
const LAST: PlannedStep = { id: 'complete', action: 'Complete', done: 'Completed' };

/** The items of a pre-trip inspection. */
export const CHECKLIST = [
  { key: 'brakes', label: 'Brakes' },
  { key: 'tires', label: 'Tires and wheels' },
  { key: 'lights', label: 'Lights and beacon' },
  { key: 'steering', label: 'Steering and horn' },
  { key: 'leaks', label: 'Fluids and leaks' },
  { key: 'winch', label: 'Winch and cable' },
  { key: 'straps', label: 'Chains, straps and hooks' },
  { key: 'safety', label: 'Cones, vest, extinguisher' },
] as const;

export function buildDriverState(workOrder: DrivenWorkOrder, payments: Payments | null): DriverState {
  const { job_number: number, company, environment, unit_number, driver_name, inspection } = workOrder;
  const steps = planSteps(workOrder);
  const { proposed_step: proposed } = describeDrive(workOrder.drive);
  return {
    number,
    company,
    is_test: environment === 'sandbox',
    truck: unit_number,
    driver: driver_name,
    facts: listFacts(workOrder),
    steps,
    taken: countTaken(steps, workOrder.step),
    proposal: proposed && { step: proposed, text: PROPOSALS[proposed] },
    warning: workOrder.is_truck_blocked
      ? `Truck ${unit_number} is out of service because of a defect. Call your dispatcher.`
      : null,
    checklist: [...CHECKLIST],
    inspection,
    photos: { stored: workOrder.photos, max: MAX_PHOTOS, max_bytes: MAX_PHOTO_BYTES, types: PHOTO_TYPES },
    payments,
  };
}

/** Returns the steps of the work. Only a towed vehicle has the steps for loading and towing. */
export function planSteps(
  workOrder: Pick<DrivenWorkOrder, 'service_type' | 'dropoff_location' | 'dropoff_lat'>,
): PlannedStep[] {
  return [...ALWAYS, ...(isTowed(workOrder) ? WITH_TOW : []), LAST];
}

/**
 * Counts the page's steps up to and including the last logged step. If the page does not show that
 * step, counts the page's steps before it.
 */
function countTaken(steps: readonly PlannedStep[], logged: string | null): number {
  const order: readonly string[] = DRIVER_STEPS;
  const last = logged === null ? -1 : order.indexOf(logged);
  return steps.filter(({ id }) => order.includes(id) && order.indexOf(id) <= last).length;
}

function listFacts(workOrder: DrivenWorkOrder): Fact[] {
  const { contact_name, contact_phone, vehicle_year, vehicle_make, vehicle_model, vin } = workOrder;
  const firstName = findFirstName(contact_name);
  const eta = workOrder.eta && formatTime(workOrder.eta, { timeZone: workOrder.time_zone, now: new Date() });
  return [
    describe('Service', capitalize(workOrder.service_type.replaceAll('_', ' '))),
    describe('Vehicle', [vehicle_year, vehicle_make, vehicle_model].filter(Boolean).join(' ')),
    describe('VIN', vin),
    describePlace('Pickup', workOrder.pickup_location, [workOrder.pickup_lat, workOrder.pickup_lng]),
    describePlace('Drop-off', workOrder.dropoff_location, [workOrder.dropoff_lat, workOrder.dropoff_lng]),
    describe('Expected', eta),
    describe('Customer', firstName),
    describe('Phone', contact_phone, contact_phone && toTelHref(contact_phone)),
    describe('Notes', workOrder.notes),
  ].filter((fact) => fact.text !== '');
}

/** Describes a place, with a link to its coordinates or else to its address. */
function describePlace(
  label: string,
  address: string | null,
  [lat, lng]: [lat: number | null, lng: number | null],
): Fact {
  const place = lat !== null && lng !== null ? `${lat},${lng}` : address;
  return describe(label, address ?? place, place && linkToMap(place));
}

const describe = (label: string, text: string | null, href: string | null = null): Fact => ({
  label,
  text: text ?? '',
  href: href || null,
});

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Returns a link that phones open in their map application. The page itself sends no request to the
 * map.
 */
function linkToMap(destination: string): string {
  return `https://www.google.com/maps/dir/?${new URLSearchParams({ api: '1', destination })}`;
}
