import type { Command } from '../contracts/command.js';
import { systemCommand } from '../contracts/system-command.js';

/** A record that a sweep found. */
export interface ClockTarget {
  tenant_id: string;
  id: string;
  environment: 'live' | 'sandbox';
}

/** A command that the clock gives: it has no input, and nobody waits for its answer. */
export function clockCommand(definition: { type: string }, record: ClockTarget): Command {
  const { tenant_id: tenantId, id: entityId, environment } = record;
  return systemCommand({ type: definition.type, tenantId, environment, name: 'clock', entityId, input: {} });
}
