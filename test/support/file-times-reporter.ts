import { relative } from 'node:path';
import Mocha from 'mocha';

const SLOWEST = 10;

/** Mocha's spec reporter, followed by the time of each file and the slowest files by name. */
// biome-ignore lint/style/noDefaultExport: Mocha loads a reporter by its default export
export default class FileTimesReporter extends Mocha.reporters.Spec {
  private readonly ms = new Map<string, number>();

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const startedAt = new Map<Mocha.Suite, number>();
    runner.on('suite', (suite) => {
      if (suite.parent?.root) startedAt.set(suite, Date.now());
    });
    runner.on('suite end', (suite) => {
      const start = startedAt.get(suite);
      if (start === undefined) return;
      const file = relative(process.cwd(), suite.file ?? suite.title);
      this.ms.set(file, (this.ms.get(file) ?? 0) + Date.now() - start);
    });
    // The listener of the base class, which prints the sums, comes first.
    runner.once('end', () => this.printTimes());
  }

  private printTimes(): void {
    if (this.ms.size < 2) return;
    const times = [...this.ms].sort(([, a], [, b]) => b - a);
    const print = ([file, ms]: [string, number]) => `  ${(ms / 1000).toFixed(1).padStart(6)} s  ${file}\n`;
    const total = times.reduce((sum, [, ms]) => sum + ms, 0);
    process.stdout.write(`  time per file, ${(total / 1000).toFixed(1)} s in all:\n`);
    process.stdout.write(times.map(print).join(''));
    process.stdout.write(`  the ${Math.min(SLOWEST, times.length)} slowest files:\n`);
    process.stdout.write(times.slice(0, SLOWEST).map(print).join(''));
  }
}
