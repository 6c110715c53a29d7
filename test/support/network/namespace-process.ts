/**
 * The child process that network-namespace.ts starts inside a network namespace. It runs the
 * scenarios of the given modules, and prints each scenario's error (or null) by title as JSON.
 */
import { inspect } from 'node:util';
import { INSIDE_MARKER, type NamespaceScenarios } from './network-namespace.js';

process.stdout.write(`${INSIDE_MARKER}\n`);

const outcomes: Record<string, string | null> = {};
for (const path of process.argv.slice(2)) {
  const { scenarios } = (await import(path)) as { scenarios: NamespaceScenarios };
  await Promise.all(
    Object.entries(scenarios).map(async ([title, run]) => {
      outcomes[title] = await run().then(
        () => null,
        (error: unknown) => inspect(error),
      );
    }),
  );
}
process.stdout.write(`\n${JSON.stringify(outcomes)}\n`, () => process.exit(0));
