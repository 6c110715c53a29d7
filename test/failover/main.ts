/** `npm run failover`: shows what clients see while the stores of the service fail. */
import { useOwnFolder } from '../support/load/run-folder.js';
import { describeMissing } from './missing-packages.js';
import { buildTable, buildVerdict, listFaults } from './report-table.js';
import { runFailover } from './run-failover.js';

const QUIET_MS = 5000;

const print = (line: string) => void process.stdout.write(`${line}\n`);

const missing = describeMissing();
if (missing) {
  print(missing);
  process.exit(1);
}
useOwnFolder('tow-failover-');
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
