import { startWithSmallYoungGeneration } from '../shared/platform/process/young-generation.js';

// Runs API, MCP server, workers and clock in one process.
await startWithSmallYoungGeneration(() => import('./run-all.js'));
