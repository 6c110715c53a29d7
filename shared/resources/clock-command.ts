import type { Command } from '../contracts/command.js';
import { newId } from '../platform/ids.js';

/** A record that a sweep found. */
export interface ClockTarget {
  tenant_id: string;
  id: string;
  environment: 'live' | 'sandbox';
}

/** A command that the clock gives: it has no input, and nobody waits for its answer. */
export function clockCommand(type: string, { tenant_id, id: entityId, environment }: ClockTarget): Command {
  const id = newId();
  return {
    id,
    type,
    tenantId: tenant_id,
    environment,
    actor: { type: 'system', id: null, name: 'clock' },
    source: 'job',
    tool: null,
    entityId,
    input: {},
    dryRun: false,
    unknownFields: [],
    idempotency: null,
    requestId: id,
    traceparent: null,
    ip: null,
    userAgent: null,
  };
}
