import { release } from './once/release.js';
import { runOnce } from './once/run-once.js';

// The `release` process of the Procfile. It runs before a new version serves requests.
process.exitCode = await runOnce({ kind: 'release', name: 'release' }, release);
