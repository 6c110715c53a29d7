import { createHash } from 'node:crypto';

/**
 * Ids of deliveries that are made at most once: a UUIDv7 of the time in another id, followed by a hash of what the delivery is of. Whoever makes the same one
 * again gets the same id and meets the primary key; and the id tells the partition that it is in, as every UUIDv7 does.
 *
 * @param timeId id whose time it gets
 * @param seeds what tells it from all others, as UUIDs in lower case
 */
export function deliveryId(timeId: string, ...seeds: string[]): string {
  const hash = createHash('md5').update(seeds.join('')).digest('hex');
  const time = timeId.replaceAll('-', '').slice(0, 12);
  const hex = `${time}7${hash.slice(13, 16)}8${hash.slice(17)}`;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** {@link deliveryId} within a statement; the arguments are SQL expressions of type uuid, and so is it. */
export function deliveryIdSql(timeId: string, ...seeds: string[]): string {
  const hash = `md5(${seeds.map((seed) => `(${seed})::text`).join(' || ')})`;
  const time = `left(replace((${timeId})::text, '-', ''), 12)`;
  // One hash: 8 is the variant (RFC 9562), and time and version lie over the first 13 digits.
  return `overlay(overlay(${hash} placing '8' from 17) placing ${time} || '7' from 1)::uuid`;
}
