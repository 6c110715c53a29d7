import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts CPU time in hundredths of a second. */
const TICK_MS = 10;

interface ProcessTimes {
  pid: number;
  parent: number;
  ms: number;
}

/**
 * Returns the CPU time of this process and its descendants so far, in ms: the stores, the browser
 * and the processes of the product. Returns 0 where there is no /proc.
 */
export function readCpuMs(): number {
  const processes = listProcesses();
  const sumOf = (pid: number): number =>
    processes
      .filter(({ parent }) => parent === pid)
      .reduce((sum, child) => sum + child.ms + sumOf(child.pid), 0);
  return sumOf(process.pid) + (readTimes(process.pid)?.ms ?? 0);
}

function listProcesses(): ProcessTimes[] {
  try {
    const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return names.flatMap((name) => readTimes(Number(name)) ?? []);
  } catch {
    return [];
  }
}

/** Returns the times of a process, with those of its children that have ended. */
function readTimes(pid: number): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before the last parenthesis may have spaces. See proc_pid_stat(5).
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
    const ms = (user + system + childrenUser + childrenSystem) * TICK_MS;
    return { pid, parent: fields[1] ?? 0, ms };
  } catch {
    return undefined;
  }
}
