import { newId } from '../platform/ids.js';
import type { Command } from './command.js';

/** A command that changes nothing: it only proves that queue, worker, PostgreSQL and reply are alive. */
export const CANARY_TYPE = 'system.canary';

const NO_TENANT = '00000000-0000-0000-0000-000000000000';

export function canaryCommand(): Command {
  const id = newId();
  return {
    id,
    type: CANARY_TYPE,
    tenantId: NO_TENANT,
    environment: 'live',
    actor: { type: 'system', id: null, name: 'canary' },
    source: 'job',
    tool: null,
    entityId: id,
    input: {},
    // So that one that is late is not stored as an operation.
    dryRun: true,
    unknownFields: [],
    idempotency: null,
    requestId: id,
    traceparent: null,
    ip: null,
    userAgent: null,
  };
}
