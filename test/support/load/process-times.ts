import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the CPU time of processes in ticks of 10 ms. */
const TICK_MS = 10;

/** The CPU time of a process, in ms. */
export interface ProcessTimes {
  pid: number;
  parent: number;
  ms: number;
  /** The CPU time of the children that have already ended. */
  endedChildrenMs: number;
}

/** Lists the CPU times of all processes. The list is empty on systems without /proc. */
export function listProcessTimes(): ProcessTimes[] {
  try {
    const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return names.flatMap((name) => readProcessTimes(Number(name)) ?? []);
  } catch {
    return [];
  }
}

/**
 * Reads fields 4 and 14 to 17 of /proc/pid/stat (see the manual page proc_pid_stat). Returns
 * undefined for a process that does not exist.
 */
export function readProcessTimes(pid: number): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets, which may contain spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
    return {
      pid,
      parent: fields[1] ?? 0,
      ms: (user + system) * TICK_MS,
      endedChildrenMs: (childrenUser + childrenSystem) * TICK_MS,
    };
  } catch {
    return undefined;
  }
}
