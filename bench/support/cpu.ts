import { listProcessTimes, readProcessTimes } from '../../test/support/load/process-times.js';

const MICROSECONDS_PER_MS = 1000;

/**
 * Reads the CPU time that a process and its children have used, in µs. PostgreSQL has one child
 * process per connection. Returns 0 for a process that does not exist, and on systems without
 * /proc.
 */
export function readCpuMicroseconds(pid: number): number {
  const own = readProcessTimes(pid);
  if (!own) return 0;
  const children = listProcessTimes().filter((child) => child.parent === pid);
  const ms = own.ms + own.endedChildrenMs + children.reduce((sum, child) => sum + child.ms, 0);
  return ms * MICROSECONDS_PER_MS;
}
