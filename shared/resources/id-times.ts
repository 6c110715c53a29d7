/** No UUIDv7 of this time or later is lower. */
export function firstIdAt(ms: number): string {
  const time = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** When a UUIDv7 was made, in ms. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
