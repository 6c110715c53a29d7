import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { print, printMachine } from './support/report.js';

// Runs every bench, one after another. At the end, prints all figures with a bar (a required value)
// once more. `npm run bench -- writes reads` runs only these two. Settings such as BENCH_SECONDS
// apply to all benches.
const BENCHES = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.ts') && name !== basename(import.meta.filename))
  .map((name) => basename(name, '.ts'));

/** Matches a printed figure that has a required value. */
const HAS_BAR = /\(bar: (?!none)/;

/** Runs a bench and prints its output. Returns the figures that have a required value. */
async function runBench(name: string): Promise<string[]> {
  print(`== bench:${name}`);
  const child = spawn(process.execPath, ['--import', 'tsx', `bench/${name}.ts`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const figures: string[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    print(text);
    if (HAS_BAR.test(text)) figures.push(text.trim());
  }
  const code = await ended;
  if (code !== 0) process.exitCode = 1;
  return code === 0 ? figures : [...figures, `ended with code ${code}`];
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !BENCHES.includes(name));
if (unknown.length > 0)
  throw new Error(`no bench is named ${unknown.join(', ')}; there are ${BENCHES.join(', ')}`);
const results: { name: string; figures: string[] }[] = [];
for (const name of names.length > 0 ? names : BENCHES) results.push({ name, figures: await runBench(name) });
print('== all figures with a bar');
printMachine();
for (const { name, figures } of results) for (const figure of figures) print(`bench:${name}  ${figure}`);
