import type { Command } from '../../shared/contracts/command.js';
import { getCommandDefinition } from '../../shared/registry/resources.js';

/**
 * Lists the conflict keys of a command: the record, unless the command's type shares it, the
 * Idempotency-Key, and keys that the command's type defines, for example an invoice number.
 * Commands that share a key must not run concurrently.
 */
function listConflictKeys(command: Command): string[] {
  const { conflictKeys, sharesEntity } = getCommandDefinition(command.type);
  const own = conflictKeys?.(command.input as never, command.actor) ?? [];
  const keys = sharesEntity ? [...own] : [`entity:${command.entityId}`, ...own];
  if (command.idempotency) keys.push(`idempotency:${command.idempotency.key}`);
  return keys.map((key) => `${command.tenantId}/${key}`);
}

/**
 * Splits a batch into waves that run one after another. No two commands of a wave share a conflict
 * key, so a handler can run them as a set. Commands that share a key run in the sequence of their
 * arrival.
 */
export function splitIntoWaves(commands: Command[]): Command[][] {
  const waves: Command[][] = [];
  const lastWaveByKey = new Map<string, number>();
  for (const command of commands) {
    const keys = listConflictKeys(command);
    const wave = Math.max(-1, ...keys.map((key) => lastWaveByKey.get(key) ?? -1)) + 1;
    for (const key of keys) lastWaveByKey.set(key, wave);
    let members = waves[wave];
    if (!members) {
      members = [];
      waves[wave] = members;
    }
    members.push(command);
  }
  return waves;
}

export function groupByType(commands: Command[]): Map<string, Command[]> {
  const groups = new Map<string, Command[]>();
  for (const command of commands) {
    const group = groups.get(command.type);
    if (group) group.push(command);
    else groups.set(command.type, [command]);
  }
  return groups;
}
