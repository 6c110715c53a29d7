/** Takes linear time, however many slashes the address has. */
export function stripTrailingSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}
