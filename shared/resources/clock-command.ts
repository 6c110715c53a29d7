import type { Command, CommandDefinition } from '../contracts/command.js';
import { systemCommand } from '../contracts/system-command.js';

/** The record of a clock's command, found or to be made. */
export interface ClockTarget {
  tenant_id: string;
  id: string;
  environment: 'live' | 'sandbox';
}

/** A command that the clock gives; nobody waits for its answer. @param input none unless given */
export function clockCommand<Input>(
  definition: CommandDefinition<Input>,
  { tenant_id: tenantId, id: entityId, environment }: ClockTarget,
  input: Input = {} as Input,
): Command {
  return systemCommand({ type: definition.type, tenantId, environment, name: 'clock', entityId, input });
}
