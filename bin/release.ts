import { release } from './commands/release.js';
import { runOnce } from './commands/run-once.js';

// The `release` process of the Procfile. It runs before a new version serves requests.
process.exitCode = await runOnce({ kind: 'release', name: 'release' }, release);
