import { newId } from '../platform/ids.js';
import type { Command } from './command.js';
import { systemCommand } from './system-command.js';

/** A command that changes nothing: it only proves that queue, worker, PostgreSQL and reply are alive. */
export const CANARY_TYPE = 'system.canary';

const NO_TENANT = '00000000-0000-0000-0000-000000000000';

export function canaryCommand(): Command {
  const canary = systemCommand({
    type: CANARY_TYPE,
    tenantId: NO_TENANT,
    environment: 'live',
    name: 'canary',
    entityId: newId(),
    input: {},
  });
  // So that one that is late is not stored as an operation.
  return { ...canary, dryRun: true };
}
