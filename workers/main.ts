import { startWithSmallYoungGeneration } from '../shared/platform/process/young-generation.js';

// The arguments name the queues that this process works on: `node dist/workers/main.js writes
// clock`.
await startWithSmallYoungGeneration(() => import('./run.js'));
