import { listProcessTimes } from '../support/load/process-times.js';

/**
 * Returns the CPU time of this process and its descendants so far, in ms: the stores, the browser
 * and the processes of the product. Returns 0 where there is no /proc.
 */
export function readCpuMs(): number {
  const processes = listProcessTimes();
  const sumOf = (pid: number): number =>
    processes
      .filter((one) => one.pid === pid || one.parent === pid)
      .reduce((sum, one) => sum + (one.pid === pid ? one.ms + one.endedChildrenMs : sumOf(one.pid)), 0);
  return sumOf(process.pid);
}
