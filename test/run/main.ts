/**
 * Runs test files in several processes:
 * `tsx test/run/main.ts [--jobs <n>] [--grep <pattern>] [file or folder]...`
 * Without files, runs all but test/faults. Each process runs many files one after another. These
 * files share the stores and stacks of the process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { appendFileSync, readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FOLDERS } from './folders.js';
import { groupByStack } from './group-by-stack.js';
import type { Failure, FileResult, Task, UncleanEnd } from './protocol.js';
import { createTemporaryFolder } from './temporary-folder.js';

/** Files that measure what other tests would distort. They run one by one, after all others. */
const ALONE = /\/webhook-duplicates\.test\.ts$/;
/**
 * Tests wait for half of their time, so one more process than there are cores keeps the cores busy.
 * Each process has stores of its own, which take 1 GB of memory, so there are four at most.
 */
const DEFAULT_JOBS = Math.min(availableParallelism() + 1, 4);
const SLOWEST = 10;
const END_TIMEOUT_MS = 60_000;
/** The process of a file that takes longer is killed, so that one stuck file stops no run. */
const FILE_TIMEOUT_MS = 10 * 60_000;

const startedAt = Date.now();
const { values, positionals } = parseArgs({
  options: { jobs: { type: 'string', default: `${DEFAULT_JOBS}` }, grep: { type: 'string' } },
  allowPositionals: true,
});
const listed = (positionals.length > 0 ? positionals : FOLDERS).map(listTestFiles);
const batches = groupByStack(listed.map((files) => files.filter((file) => !ALONE.test(file))));
const filesAlone = listed.flat().filter((file) => ALONE.test(file));
const results: FileResult[] = [];
const failures: Failure[] = [];
const stacks = new Map<ChildProcess, number>();
const workers = new Set<ChildProcess>();
const jobs = Math.min(Number(values.jobs), batches.length);
const temporary = createTemporaryFolder(Math.max(jobs, 1));
let isInterrupted = false;

function listTestFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => join(path, name));
}

/** Returns a function that returns the next file of the process's batch, or of the next batch. */
function createTaker(takeBatch: () => string[] | undefined): () => Task {
  let batch: string[] = [];
  return () => {
    const isNewBatch = batch.length === 0;
    if (isNewBatch) batch = takeBatch() ?? [];
    return { file: batch.shift() ?? null, isNewBatch };
  };
}

/** Runs a worker process until no file is left. If the process dies, starts another one. */
async function runWorker(takeTask: () => Task): Promise<void> {
  while (!isInterrupted) {
    const death = await runProcess(takeTask);
    if (!death) return;
    const { file, cause } = death;
    if (!isInterrupted)
      failures.push({ title: file, details: `${file}: the process of the tests died (${cause})` });
  }
}

/**
 * Runs one worker process. If the process died during a file, resolves with the file and the signal
 * or exit code.
 */
function runProcess(takeTask: () => Task): Promise<{ file: string; cause: string } | undefined> {
  const env = {
    ...process.env,
    ...(temporary ? { TMPDIR: temporary.path } : {}),
    TEST_COLORS: String(process.stdout.isTTY === true),
    ...(values.grep ? { TEST_GREP: values.grep } : {}),
  };
  const child = fork(new URL('worker.ts', import.meta.url), { execArgv: ['--import', 'tsx'], env });
  workers.add(child);
  let file: string | null = null;
  let deadline: NodeJS.Timeout | undefined;
  const sendNext = () => {
    const task = isInterrupted ? { file: null, isNewBatch: true } : takeTask();
    file = task.file;
    child.send(task);
    clearTimeout(deadline);
    deadline =
      file === null
        ? setTimeout(() => stopStuck(child), END_TIMEOUT_MS)
        : setTimeout(() => child.kill('SIGKILL'), FILE_TIMEOUT_MS);
  };
  child.on('message', (message: FileResult | UncleanEnd) => {
    if ('reason' in message) return failures.push(describeUnclean(message.reason));
    stacks.set(child, message.stacks);
    report(message);
    sendNext();
  });
  sendNext();
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(deadline);
      workers.delete(child);
      if (file === null && code !== 0 && !child.killed)
        failures.push(describeUnclean(`ended with code ${code}`));
      const cause = child.killed
        ? `it took more than ${FILE_TIMEOUT_MS / 60_000} min`
        : (signal ?? `code ${code}`);
      resolve(file === null ? undefined : { file, cause });
    });
  });
}

/** Kills a worker process that does not end, because a test has left something open. */
function stopStuck(child: ChildProcess): void {
  failures.push(describeUnclean(`did not end within ${END_TIMEOUT_MS / 1000} s: a test left something open`));
  child.kill('SIGKILL');
}

function describeUnclean(reason: string): Failure {
  return { title: 'the end of the test run', details: `a process of the tests: ${reason}` };
}

function report(result: FileResult): void {
  results.push(result);
  failures.push(...result.failures);
  process.stdout.write(`${result.report}\n`);
  for (const { details } of result.failures) process.stdout.write(`${details}\n`);
}

const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(6)} s`;

function printSums(): void {
  const print = (line: string) => process.stdout.write(`  ${line}\n`);
  const sum = (count: (result: FileResult) => number) => results.reduce((all, one) => all + count(one), 0);
  const times = results
    .map(({ file, ms, cpuMs }) => `${formatSeconds(ms)}, ${formatSeconds(cpuMs)} of CPU  ${file}`)
    .sort()
    .reverse();
  if (times.length > 1) {
    print('time per file:');
    times.forEach(print);
    print(`the ${Math.min(SLOWEST, times.length)} slowest files:`);
    times.slice(0, SLOWEST).forEach(print);
  }
  const started = [...stacks.values()].reduce((all, one) => all + one, 0);
  print(`${started} stacks started in ${stacks.size} processes`);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  print(`${sum(({ passing }) => passing)} passing (${Math.floor(seconds / 60)} min ${seconds % 60} s)`);
  if (sum(({ pending }) => pending) > 0) print(`${sum(({ pending }) => pending)} pending`);
  if (failures.length > 0) print(`${failures.length} failing`);
  for (const { title, details } of failures) print(`${title}\n${findCause(details)}`);
  const path = process.env.TEST_FAILURES;
  if (path)
    for (const { title, details } of failures) appendFileSync(path, `${title}\n${findCause(details)}\n`);
}

/** The list of failures at the end shows at most this many lines of each failure's details. */
const MAX_CAUSE_LINES = 12;

/**
 * Returns the lines that explain a failure: those from the one that names an error, or else those
 * after the title, which ends with a colon. Leaves the stack out.
 */
function findCause(details: string): string {
  const lines = details.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line));
  const named = lines.findIndex((text) => /Error\b|:.*(died|did not)/.test(text));
  const first = named < 0 ? lines.findIndex((text) => text.endsWith(':')) + 1 : named;
  return lines
    .slice(first, first + MAX_CAUSE_LINES)
    .map((line) => `    ${line.trim().slice(0, 300)}`)
    .join('\n');
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // The first signal lets the workers stop their stores. A second signal kills the workers.
    for (const worker of workers) worker.kill(isInterrupted ? 'SIGKILL' : 'SIGINT');
    isInterrupted = true;
  });

await Promise.all(
  Array.from({ length: jobs }, (_, nth) =>
    runWorker(createTaker(() => (nth % 2 === 0 ? batches.shift() : batches.pop()))),
  ),
);
if (filesAlone.length > 0) await runWorker(() => ({ file: filesAlone.shift() ?? null, isNewBatch: true }));
printSums();
temporary?.remove();
process.exitCode = isInterrupted ? 130 : failures.length > 0 ? 1 : 0;
