/**
 * Id of a delivery that is made at most once: a UUIDv7 of the time in another id, followed by a hash of what the delivery is of. Whoever makes the same one
 * again gets the same id and meets the primary key; and the id tells the partition that it is in, as every UUIDv7 does. The arguments are SQL expressions of
 * type uuid, and so is the result.
 *
 * @param timeId id whose time it gets
 * @param seeds what tells it from all others
 */
export function deliveryIdSql(timeId: string, ...seeds: string[]): string {
  const hash = `md5(${seeds.map((seed) => `(${seed})::text`).join(' || ')})`;
  const time = `left(replace((${timeId})::text, '-', ''), 12)`;
  // One hash: 8 is the variant (RFC 9562), and time and version lie over the first 13 digits.
  return `overlay(overlay(${hash} placing '8' from 17) placing ${time} || '7' from 1)::uuid`;
}
