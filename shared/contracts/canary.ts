import { newId } from '../platform/ids.js';
import type { Command } from './command.js';
import { createSystemCommand } from './system-command.js';

/** Changes nothing. Proves that the queue, a worker, PostgreSQL and the reply work. */
export const CANARY_TYPE = 'system.canary';

const NO_TENANT = '00000000-0000-0000-0000-000000000000';

export function createCanaryCommand(): Command {
  const canary = createSystemCommand({
    type: CANARY_TYPE,
    tenantId: NO_TENANT,
    environment: 'live',
    name: 'canary',
    entityId: newId(),
    input: {},
  });
  // Even when its reply is late, a dry run is never stored as an operation.
  return { ...canary, dryRun: true };
}
