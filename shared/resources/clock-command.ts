import type { Command } from '../contracts/command.js';
import { newId } from '../platform/ids.js';

/** A command of the clock's own. */
export function clockCommand(
  definition: { type: string },
  record: { tenant_id: string; id: string; environment: 'live' | 'sandbox' },
): Command {
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
