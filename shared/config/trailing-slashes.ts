/**
 * Removes trailing slashes. The lookbehind keeps the time linear, however many slashes the address
 * has.
 */
export function stripTrailingSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}
