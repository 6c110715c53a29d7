import type { Command } from '../../contracts/command.js';
import { createSystemCommand } from '../../contracts/system-command.js';

/** The connection that is the actor of a command. */
export interface ActingConnection {
  tenantId: string;
  connectionId: string;
  vendor: string;
  environment: 'live' | 'sandbox';
}

/** Builds a command whose actor is a connection. No client waits for the command's reply. */
export function createIntegrationCommand(
  { tenantId, connectionId, vendor, environment }: ActingConnection,
  command: { type: string; entityId: string; input: unknown },
): Command {
  return {
    ...createSystemCommand({ ...command, tenantId, environment, name: vendor }),
    actor: { type: 'integration', id: connectionId, name: vendor },
  };
}
