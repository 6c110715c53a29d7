/**
 * Builds SQL for the id of a delivery that must be created only once. The id is a UUIDv7 with the
 * time of `timeId` and a hash of the seeds. A second insert of the delivery has the same id, so it
 * conflicts with the primary key. The time in the id determines the partition of the row. Arguments
 * and result are SQL expressions of type uuid.
 */
export function deliveryIdSql(timeId: string, ...seeds: string[]): string {
  const hash = `md5(${seeds.map((seed) => `(${seed})::text`).join(' || ')})`;
  const time = `left(replace((${timeId})::text, '-', ''), 12)`;
  // Time and version replace the first 13 digits. The 8 at digit 17 is the variant (RFC 9562).
  return `overlay(overlay(${hash} placing '8' from 17) placing ${time} || '7' from 1)::uuid`;
}
