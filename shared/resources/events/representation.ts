/** Returns SQL for the body of an event, byte for byte as it was recorded. */
export function eventRepresentation(alias: string): string {
  return `${alias}.body`;
}
