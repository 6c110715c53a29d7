/** An address to which a path can be added. Takes linear time, however many slashes there are. */
export function withoutTrailingSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}
