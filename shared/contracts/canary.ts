import { newId } from '../platform/ids.js';
import type { Command } from './command.js';
import { createSystemCommand } from './system-command.js';

/** This command changes nothing. It proves that queue, worker, PostgreSQL and reply work. */
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
