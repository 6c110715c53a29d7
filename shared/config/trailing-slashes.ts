/**
 * Removes trailing slashes, so that a path can be appended. Takes linear time, however many slashes
 * the address has.
 */
export function stripTrailingSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}
