import { resetDemo } from './once/demo-reset.js';
import { runOnce } from './once/run-once.js';

// `npm run demo:reset`: restores the demo to its initial state, with new credentials.
process.exitCode = await runOnce({ kind: 'cli', name: 'demo-reset' }, async (foundation) => {
  process.stdout.write(`The demo is reset. Its credentials: ${await resetDemo(foundation)}\n`);
});
