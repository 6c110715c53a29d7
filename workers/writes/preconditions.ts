import type { Command, CommandOutcome } from '../../shared/contracts/command.js';
import type { Row, Transaction } from '../../shared/platform/postgres/database.js';
import { findChangesSince } from '../../shared/records/changes-since.js';
import { lockRecords } from '../../shared/records/lock-records.js';
import { failedOutcome } from '../../shared/records/outcomes.js';
import { refKey, toRecordRef } from '../../shared/records/record-refs.js';
import { getCommandDefinition } from '../../shared/registry/resources.js';
import { getResourceTable } from '../../shared/registry/tables.js';

interface VersionedRow extends Row {
  updated_at?: string;
  deleted_at?: string | null;
}

/**
 * Refuses commands whose If-Match does not include the record's current version (RFC 9110, section
 * 13.1.1). The refusal is a 412 that lists the changes since the client's version, with their
 * authors. Locks the records until the transaction ends. Ignores commands for missing or deleted
 * records, because their handlers refuse them.
 * @returns the refusals by command id
 */
export async function checkPreconditions(
  tx: Transaction,
  commands: Command[],
): Promise<Map<string, CommandOutcome>> {
  const refused = new Map<string, CommandOutcome>();
  const conditional = commands.filter((command) => command.ifMatch);
  const entityTypes = new Set(conditional.map((command) => getCommandDefinition(command.type).entityType));
  for (const entityType of entityTypes) {
    const group = conditional.filter(
      (command) => getCommandDefinition(command.type).entityType === entityType,
    );
    const rows = await lockRecords<VersionedRow>(
      tx,
      getResourceTable(entityType).table,
      group.map(toRecordRef),
    );
    for (const command of group) {
      const { updated_at: current, deleted_at } = rows.get(refKey(toRecordRef(command))) ?? {};
      if (current === undefined || deleted_at || isSameVersion(current, command.ifMatch ?? [])) continue;
      refused.set(command.id, await buildPreconditionFailure(tx, command, current));
    }
  }
  return refused;
}

/**
 * True if one of the client's versions is the current version. Versions are compared to the
 * millisecond, because clients see no more digits of `updated_at`.
 */
function isSameVersion(current: string, wanted: readonly string[]): boolean {
  return wanted.some((version) => Date.parse(version) === Date.parse(current));
}

async function buildPreconditionFailure(
  tx: Transaction,
  command: Command,
  current: string,
): Promise<CommandOutcome> {
  const known = (command.ifMatch ?? []).filter((version) => !Number.isNaN(Date.parse(version)));
  const { entityType } = getCommandDefinition(command.type);
  const { tenantId, entityId } = command;
  const latest = known.sort().at(-1);
  const details =
    latest === undefined
      ? []
      : await findChangesSince(tx, { tenantId, entityType, entityId, version: latest });
  const version = new Date(current).toISOString();
  return failedOutcome({
    code: 'precondition_failed',
    message:
      'The record has changed since you read it. The details list the changes. Read it again, then send your change with its new ETag.',
    details: details.length > 0 ? details : [{ field: 'updated_at', from: known[0] ?? null, to: version }],
  });
}
