import { release } from './once/release.js';
import { runOnce } from './once/run-once.js';

// Runs the `release` process of the Procfile, before a new version serves requests.
process.exitCode = await runOnce({ kind: 'release', name: 'release' }, release);
