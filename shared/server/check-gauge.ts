import { addCollectedGauge } from '../platform/metrics.js';
import type { Runtime } from '../platform/process/runtime.js';

interface Results {
  checks: Record<string, { ok: boolean }>;
}

/** Shows the checks of /readyz in /metrics, so that an alert can name the store that is missing. */
export function addCheckGauge({ metrics }: Runtime, readChecks: () => Promise<Results>): void {
  addCollectedGauge(metrics, {
    name: 'tow_check_up',
    help: 'Checks of /readyz; 1: passed, 0: failed',
    labelNames: ['check'],
    collect: async (set) => {
      const { checks } = await readChecks();
      for (const [check, { ok }] of Object.entries(checks)) set({ check }, ok ? 1 : 0);
    },
  });
}
