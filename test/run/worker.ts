/**
 * A worker process of the test run. It runs one test file after another, and keeps the stores and
 * stacks that files share.
 */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import { readCpuMs } from './cpu-time.js';
import type { Failure, FileResult, Task, UncleanEnd } from './protocol.js';

// Mocha loads test files with require(). An import here would load second instances of the modules
// that test files use.
const require = createRequire(import.meta.url);
const { mochaGlobalTeardown } =
  require('../support/root-hooks.ts') as typeof import('../support/root-hooks.js');
const { countStartedStacks } = require('../support/stack.ts') as typeof import('../support/stack.js');
const { stopAfterBatch, stopLongUnused } =
  require('../support/use-stack.ts') as typeof import('../support/use-stack.js');

const TIMEOUT_MS = 60_000;
const OPEN_TIMEOUT_MS = 10_000;
const { Base, Spec } = Mocha.reporters;
const { TEST_GREP, TEST_COLORS } = process.env;
Base.useColors = TEST_COLORS === 'true';

/** Mocha's spec reporter without the totals, which main.ts prints for all files together. */
class Report extends Spec {
  override epilogue(): void {}
}

let printed: string[] = [];
Base.consoleLog = (...args: unknown[]) => void printed.push(format(...args));

/** Returns what Mocha has printed since the last call. */
function takePrinted(): string {
  const text = printed.join('\n');
  printed = [];
  return text;
}

let running: Mocha.Runner | undefined;
let isInterrupted = false;

async function runFile(file: string): Promise<FileResult> {
  const [startedAt, cpuBefore] = [Date.now(), readCpuMs()];
  const mocha = new Mocha({
    timeout: TIMEOUT_MS,
    reporter: Report,
    ...(TEST_GREP ? { grep: TEST_GREP } : {}),
  });
  mocha.addFile(resolve(file));
  await mocha.loadFilesAsync();
  const failed: Mocha.Test[] = [];
  const runner = await new Promise<Mocha.Runner>((end) => {
    running = mocha.run(() => end(running as Mocha.Runner));
    running.on('fail', (test) => failed.push(test));
  });
  await stopLongUnused();
  // Remove the listeners that Mocha leaves behind.
  process.removeAllListeners('uncaughtException');
  process.removeAllListeners('unhandledRejection');
  const report = takePrinted();
  const failures = failed.map((test): Failure => {
    Base.list([test]);
    return { title: test.fullTitle(), details: takePrinted() };
  });
  const { passes = 0, pending = 0 } = runner.stats ?? {};
  const ms = Date.now() - startedAt;
  const cpuMs = readCpuMs() - cpuBefore;
  return { file, ms, cpuMs, report, passing: passes, pending, failures, stacks: countStartedStacks() };
}

function reportUnclean(error: unknown): void {
  const message: UncleanEnd = { reason: error instanceof Error ? `${error.stack}` : String(error) };
  process.send?.(message);
}

async function end(): Promise<void> {
  await mochaGlobalTeardown().catch(reportUnclean);
  // The process ends by itself, unless a test has left something open.
  if (process.connected) process.disconnect();
  const describeOpen = () => process.stderr.write(`still open: ${process.getActiveResourcesInfo()}\n`);
  setTimeout(describeOpen, OPEN_TIMEOUT_MS).unref();
}

async function handle({ file, isNewBatch }: Task): Promise<void> {
  if (file === null || isInterrupted) return end();
  if (isNewBatch) await stopAfterBatch().catch(reportUnclean);
  const result = await runFile(file).catch((error: unknown): FileResult => {
    const failures = [{ title: file, details: error instanceof Error ? `${error.stack}` : String(error) }];
    return {
      file,
      ms: 0,
      cpuMs: 0,
      report: takePrinted(),
      passing: 0,
      pending: 0,
      failures,
      stacks: countStartedStacks(),
    };
  });
  process.send?.(result);
}

process.on('SIGINT', () => {
  isInterrupted = true;
  running?.abort();
});
process.on('message', (task: Task) => void handle(task));
