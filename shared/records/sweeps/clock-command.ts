import type { Command, CommandDefinition } from '../../contracts/command.js';
import { createSystemCommand } from '../../contracts/system-command.js';

export interface ClockTarget {
  tenant_id: string;
  id: string;
  environment: 'live' | 'sandbox';
}

/**
 * Builds a command that the clock submits. No client waits for its reply.
 * @param input empty by default
 */
export function buildClockCommand<Input>(
  definition: CommandDefinition<Input>,
  { tenant_id: tenantId, id: entityId, environment }: ClockTarget,
  input: Input = {} as Input,
): Command {
  return createSystemCommand({
    type: definition.type,
    tenantId,
    environment,
    name: 'clock',
    entityId,
    input,
  });
}
