/** Matches services that move a vehicle. Its source has the same meaning in PostgreSQL. */
const MOVING_SERVICE = /(tow|transport)$/;

/** SQL condition for work orders whose vehicle is moved, not only helped where it stands. */
export function isTowedSql(alias: string): string {
  return `(${alias}.dropoff_location is not null or ${alias}.service_type ~ '${MOVING_SERVICE.source}')`;
}

/** True if the vehicle of the work order is moved, not only helped where it stands. */
export function isTowed(workOrder: { service_type: string; dropoff_location: string | null }): boolean {
  return workOrder.dropoff_location !== null || MOVING_SERVICE.test(workOrder.service_type);
}
