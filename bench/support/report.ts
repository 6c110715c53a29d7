import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

/** Prints processor, memory and versions of this machine. Every bench calls this first. */
export function printMachine(): void {
  const model = cpus()[0]?.model ?? 'unknown';
  const redis = version('redis-server', ['--version']);
  print(
    `machine: ${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB; Node ${process.version}; ${redis}`,
  );
}

function version(command: string, args: string[]): string {
  try {
    return execFileSync(command, args).toString().split(' sha')[0]?.trim() ?? '';
  } catch {
    return `no ${command}`;
  }
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function describeRatio(ours: number, baseline: number): string {
  return (ours / baseline).toFixed(2);
}

/**
 * Prints two figures and their ratio.
 * @param figures.bar the required ratio, as in docs/performance.md
 */
export function printRatio(
  label: string,
  figures: { ours: number; baseline: number; unit: string; bar: string },
): void {
  const { ours, baseline, unit, bar } = figures;
  print(
    `${label}: ours ${Math.round(ours)} ${unit}, baseline ${Math.round(baseline)} ${unit}, ratio ${describeRatio(ours, baseline)} (bar: ${bar})`,
  );
}

export function median(values: number[]): number {
  return percentile(values, 0.5);
}

/** @param share from 0 to 1, such as 0.95 for the 95th percentile */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}
