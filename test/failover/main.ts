/** `npm run failover`: shows what clients see while the stores of the service fail. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMissing } from './missing-packages.js';
import { buildTable, buildVerdict, listFaults } from './report-table.js';
import { runFailover } from './run-failover.js';

const QUIET_MS = 5000;

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** Puts all files of the run into one folder, which the exit handler removes. */
function useOwnFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'tow-failover-'));
  // PostgreSQL runs as another account if root runs this command.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  // The handlers that end the programs were added first, so they run first.
  process.once('exit', () =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  );
}

const missing = describeMissing();
if (missing) {
  print(missing);
  process.exit(1);
}
useOwnFolder();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    print('interrupted: ending everything');
    process.exit(130);
  });

const result = await runFailover({ print, quietMs: QUIET_MS }).catch((error: Error) => {
  print(`the run ended early: ${error.message}`);
  process.exit(1);
});
print('');
for (const line of [...buildTable(result), '', ...buildVerdict(result)]) print(line);
process.exit(listFaults(result).length > 0 ? 1 : 0);
