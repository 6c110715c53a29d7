/** An event is shown as it was recorded, byte for byte. */
export function eventRepresentation(alias: string): string {
  return `${alias}.body`;
}
