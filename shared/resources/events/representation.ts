/** An event is returned as it was recorded, byte for byte. */
export function eventRepresentation(alias: string): string {
  return `${alias}.body`;
}
