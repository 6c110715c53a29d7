/** Why Redis refuses commands that write although it responds, by the code of its error. */
const WRITE_REFUSALS: Record<string, string> = {
  OOM: 'its memory is full',
  MISCONF: 'it cannot save its data to disk',
  NOREPLICAS: 'it has too few replicas',
  READONLY: 'it is a replica',
};

/** Returns the code of an error reply of Redis, such as READONLY or NOAUTH; otherwise ''. */
export function getRedisErrorCode(error: unknown): string {
  return (error instanceof Error && /^[A-Z]{3,20}(?= )/.exec(error.message)?.[0]) || '';
}

/** True if Redis refused a command because its memory is full. */
export function isMemoryFull(error: unknown): boolean {
  return getRedisErrorCode(error) === 'OOM';
}

/** Returns why Redis refuses to write, with the code; undefined for any other error. */
export function describeWriteRefusal(error: unknown): string | undefined {
  const code = getRedisErrorCode(error);
  const why = WRITE_REFUSALS[code];
  return why && `Redis takes no writes because ${why} (${code})`;
}
