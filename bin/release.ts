import { release } from './commands/release.js';
import { runOnce } from './commands/run-once.js';

// The Procfile's release line: runs before a new version serves.
process.exitCode = await runOnce({ kind: 'release', name: 'release' }, release);
