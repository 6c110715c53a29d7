import { resetDemo } from './commands/demo-reset.js';
import { runOnce } from './commands/run-once.js';

// `npm run demo:reset`: the demo as on the first day, with new credentials.
process.exitCode = await runOnce({ kind: 'cli', name: 'demo-reset' }, async (foundation) => {
  process.stdout.write(`The demo is new. Its credentials: ${await resetDemo(foundation)}\n`);
});
