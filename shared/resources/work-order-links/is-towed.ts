/**
 * Matches services that move a vehicle. PostgreSQL uses this pattern too, and gives it the same
 * meaning.
 */
const MOVING_SERVICE = /(tow|transport)$/;

/** SQL condition for work orders whose vehicle is towed away, not only helped on the spot. */
export function isTowedSql(alias: string): string {
  return `(${alias}.dropoff_location is not null or ${alias}.dropoff_lat is not null or ${alias}.service_type ~ '${MOVING_SERVICE.source}')`;
}

/** True if the work order's vehicle is towed away, not only helped on the spot. */
export function isTowed(workOrder: {
  service_type: string;
  dropoff_location: string | null;
  dropoff_lat: number | null;
}): boolean {
  const { dropoff_location: address, dropoff_lat: lat } = workOrder;
  return address !== null || lat !== null || MOVING_SERVICE.test(workOrder.service_type);
}
