import { NO_TENANT, newId } from '../platform/ids.js';
import type { Command } from './command.js';
import { createSystemCommand } from './system-command.js';

/**
 * The type of a command that changes nothing. Its reply proves that the queue, the writes worker
 * and PostgreSQL work.
 */
export const CANARY_TYPE = 'system.canary';

export function createCanaryCommand(): Command {
  const canary = createSystemCommand({
    type: CANARY_TYPE,
    tenantId: NO_TENANT,
    environment: 'live',
    name: 'canary',
    entityId: newId(),
    input: {},
  });
  // A dry run is never stored as an operation, even if its reply is late.
  return { ...canary, dryRun: true };
}
