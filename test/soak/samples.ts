import { readdirSync, readFileSync } from 'node:fs';
import type { Deployment } from '../support/load/deployment.js';
import { listKinds } from '../support/load/list-kinds.js';
import { renderTable } from './figures.js';

const EVERY_MS = 5000;
/** A process reaches its usual size within this time. Its samples do not count before. */
const WARM_UP_MS = 60_000;
/** Growth per hour is shown only from this time of samples on. */
const MIN_SPAN_MS = 600_000;
const HOUR_MS = 3_600_000;

interface Sample {
  at: number;
  memoryMb: number;
  handles: number;
}

/** Watches the memory and the open handles of each process of the product. */
export class Samples {
  private readonly byProcess = new Map<string, { kind: string; startedAt: number; samples: Sample[] }>();
  private timer: NodeJS.Timeout | undefined;

  start(deployment: Deployment): this {
    this.timer = setInterval(() => this.take(deployment), EVERY_MS);
    return this;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private take(deployment: Deployment): void {
    for (const [kind, services] of Object.entries(listKinds(deployment))) {
      for (const { process: running } of services) {
        if (!running?.pid || running.end) continue;
        const key = `${kind} ${running.pid}`;
        const at = Date.now();
        const series = this.byProcess.get(key) ?? { kind, startedAt: at, samples: [] };
        this.byProcess.set(key, series);
        const sample = readSample(running.pid);
        if (sample && at - series.startedAt >= WARM_UP_MS) series.samples.push({ at, ...sample });
      }
    }
  }

  /** Renders one row for each kind of process, about the process that lived longest. */
  render(): string {
    const rows = [['process', 'minutes', 'MB first', 'MB last', 'MB/h', 'handles first', 'last', 'per hour']];
    for (const kind of new Set([...this.byProcess.values()].map((series) => series.kind))) {
      const longest = [...this.byProcess.values()]
        .filter((series) => series.kind === kind)
        .sort((a, b) => b.samples.length - a.samples.length)[0]?.samples;
      const [first, last] = [longest?.at(0), longest?.at(-1)];
      if (!longest || !first || !last || longest.length < 3) continue;
      const minutes = (last.at - first.at) / 60_000;
      rows.push([
        kind,
        minutes.toFixed(1),
        first.memoryMb.toFixed(0),
        last.memoryMb.toFixed(0),
        renderGrowth(longest.map(({ at, memoryMb }) => [at, memoryMb])),
        `${first.handles}`,
        `${last.handles}`,
        renderGrowth(longest.map(({ at, handles }) => [at, handles])),
      ]);
    }
    if (rows.length === 1) return 'memory: no process lived long enough to be measured';
    return renderTable(rows);
  }
}

function readSample(pid: number): Omit<Sample, 'at'> | undefined {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return { memoryMb: Number(kilobytes) / 1024, handles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    // The process has just ended, or the system has no /proc.
    return undefined;
  }
}

/** Renders the growth per hour of values at times in ms; `-` if the times span too little. */
export function renderGrowth(points: [at: number, value: number][]): string {
  const span = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0);
  if (span < MIN_SPAN_MS) return '-';
  return computeSlope(points.map(([at, value]) => [at / HOUR_MS, value])).toFixed(0);
}

/** Returns the slope of the straight line through points, by least squares. */
export function computeSlope(points: [number, number][]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const square = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / square;
}
