import type { Queue } from 'bullmq';
import { addCollectedGauge } from '../platform/metrics.js';
import type { Runtime } from '../platform/process/runtime.js';

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

/**
 * Adds two gauges for scaling the workers: jobs by state, and the age of the oldest waiting job.
 */
export function addQueueGauges(runtime: Runtime, queue: Queue): void {
  addCollectedGauge(runtime.metrics, {
    name: 'tow_queue_jobs',
    help: 'Jobs of a queue by state',
    labelNames: ['queue', 'state'],
    collect: async (set) => {
      const counts = await queue.getJobCounts(...STATES);
      for (const state of STATES) set({ queue: queue.name, state }, counts[state] ?? 0);
    },
  });
  addCollectedGauge(runtime.metrics, {
    name: 'tow_queue_oldest_waiting_seconds',
    help: 'Age of the job that has waited longest; 0 when none waits',
    labelNames: ['queue'],
    collect: async (set) => {
      const [oldest] = await queue.getJobs(['waiting'], 0, 0, true);
      set({ queue: queue.name }, oldest ? (Date.now() - oldest.timestamp) / 1000 : 0);
    },
  });
}
