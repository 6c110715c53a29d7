/**
 * Removes trailing slashes, so that a path can be appended. Takes linear time, however many slashes
 * the address has.
 */
export function withoutTrailingSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}
