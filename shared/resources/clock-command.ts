import type { Command } from '../contracts/command.js';
import { newId } from '../platform/ids.js';

/** A record that a sweep found. */
export interface ClockTarget {
  tenant_id: string;
  id: string;
  environment: 'live' | 'sandbox';
}

/** A command that the clock gives: it has no input, and nobody waits for its answer. */
export function clockCommand(definition: { type: string }, record: ClockTarget): Command {
  const id = newId();
  return {
    id,
    type: definition.type,
    tenantId: record.tenant_id,
    environment: record.environment,
    actor: { type: 'system', id: null, name: 'clock' },
    source: 'job',
    tool: null,
    entityId: record.id,
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
