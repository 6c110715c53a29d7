import type { Command, CommandResult } from '../../shared/contracts/command.js';
import { AccountFrozenError } from '../../shared/platform/frozen-accounts.js';
import { listTenantIds } from './run-batch.js';

/**
 * Runs commands. Refuses those of frozen accounts, and runs the others again without them, so that
 * other accounts do not wait. A refused command has no audit entry. If it was accepted earlier, its
 * operation moves with the account.
 */
export async function runOrRefuseFrozen(
  commands: Command[],
  run: (commands: Command[]) => Promise<CommandResult[]>,
): Promise<CommandResult[]> {
  try {
    return await run(commands);
  } catch (error) {
    if (!(error instanceof AccountFrozenError)) throw error;
    const isFrozen = (command: Command) =>
      listTenantIds(command).some((tenantId) => error.tenantIds.includes(tenantId));
    const others = commands.filter((command) => !isFrozen(command));
    if (others.length === commands.length) throw error;
    const refused = commands
      .filter(isFrozen)
      .map(({ id }): CommandResult => ({ id, ok: false, error: error.toBody(), unaudited: true }));
    return [...refused, ...(await runOrRefuseFrozen(others, run))];
  }
}
