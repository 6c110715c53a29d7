import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the CPU time of processes in ticks of 10 ms. */
const MICROSECONDS_PER_TICK = 10_000;

/**
 * Reads the CPU time that a process and its children have used, in µs. PostgreSQL has one child
 * process per connection. Returns 0 for a process that does not exist, and on systems without
 * /proc.
 */
export function readCpuMicroseconds(pid: number): number {
  const own = readStat(pid);
  if (!own) return 0;
  const children = listProcesses().filter((child) => child.parent === pid);
  const ticks = own.ticks + own.endedChildrenTicks + children.reduce((sum, { ticks }) => sum + ticks, 0);
  return ticks * MICROSECONDS_PER_TICK;
}

interface ProcessStat {
  parent: number;
  ticks: number;
  /** The ticks of the children that have already ended. */
  endedChildrenTicks: number;
}

function listProcesses(): ProcessStat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? []);
}

/** Reads fields 4 and 14 to 17 of /proc/pid/stat (see the manual page proc_pid_stat). */
function readStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets, which may contain spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
    return {
      parent: fields[1] ?? 0,
      ticks: user + system,
      endedChildrenTicks: childrenUser + childrenSystem,
    };
  } catch {
    return undefined;
  }
}
