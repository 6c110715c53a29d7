import type { Command, CommandDefinition } from '../contracts/command.js';
import { newId } from '../platform/ids.js';

/** A command of the clock. */
export function clockCommand<Input>(
  { type }: CommandDefinition<Input>,
  origin: { tenantId: string; environment: 'live' | 'sandbox' },
  { entityId, input }: { entityId: string; input: Input },
): Command<Input> {
  const id = newId();
  return {
    ...origin,
    id,
    type,
    actor: { type: 'system', id: null, name: 'clock' },
    source: 'job',
    tool: null,
    entityId,
    input,
    dryRun: false,
    unknownFields: [],
    idempotency: null,
    requestId: id,
    traceparent: null,
    ip: null,
    userAgent: null,
  };
}
