import { startWithSmallYoungGeneration } from '../shared/platform/process/young-generation.js';

await startWithSmallYoungGeneration(() => import('./run.js'));
