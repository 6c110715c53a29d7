/** The endings of services that move a vehicle, as a regular expression of PostgreSQL and of JS. */
const MOVING_SERVICE = '(tow|transport)$';

/** SQL condition for work orders whose vehicle is moved, not only helped where it stands. */
export function isTowedSql(alias: string): string {
  return `(${alias}.dropoff_location is not null or ${alias}.service_type ~ '${MOVING_SERVICE}')`;
}

/** True if the vehicle of the work order is moved, not only helped where it stands. */
export function isTowed(workOrder: { service_type: string; dropoff_location: string | null }): boolean {
  return workOrder.dropoff_location !== null || new RegExp(MOVING_SERVICE).test(workOrder.service_type);
}
