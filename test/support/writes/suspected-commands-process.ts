import { readFileSync } from 'node:fs';
import type { Command } from '../../../shared/contracts/command.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { openDatabase } from '../../../shared/platform/postgres/database.js';
import { runSuspectedCommands } from '../../../workers/writes/isolate-commands.js';
import { createBatchContext } from './batch-context.js';

// Acts as a worker that got a stalled job: runs the commands in a file one by one. The process
// kills itself when a command that contains the mark is about to commit. Arguments: connection
// string, path of the file, mark.
const [databaseUrl = '', file = '', mark = ''] = process.argv.slice(2);
const commands = JSON.parse(readFileSync(file, 'utf8')) as Command[];
const logger = createLogger({ level: 'silent', name: 'suspects', pretty: false });
const db = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'suspects', logger });
const results = await runSuspectedCommands(
  {
    ...createBatchContext({ db, logger }),
    // The transaction has made all changes and is still open. A crash would do the most harm at
    // this moment.
    beforeCommit: (all) => {
      if (JSON.stringify(all).includes(mark)) process.kill(process.pid, 'SIGKILL');
    },
  },
  commands,
);
process.stdout.write(`${JSON.stringify(results)}\n`);
await db.close();
