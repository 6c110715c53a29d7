import type { Command, CommandHandler, CommandOutcome } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { findExistingRecords, unknownReferenceOutcome } from '../../records/references.js';
import { removeExternalId, storeExternalIds } from '../../sync/external-ids.js';
import { readLinkedAgain, touchListed } from '../../sync/listed/listed-rows.js';
import { auditSideEffects } from '../audit-log/audit-side-effects.js';
import { type ConnectionRow, lockConnections, refuseMove } from '../connections/connection-rows.js';
import type { NamedConnection } from './link-commands.js';
import type { LinkKind } from './link-kind.js';
import { type FleetLink, findLinks } from './links.js';

export interface ListedRow extends Row, RecordRef {
  connection_id: string;
  external_id: string;
}

interface LinkInput extends NamedConnection {
  create?: boolean;
}

/** Creates the record here from a listed record. */
interface Creation<Input, Listed, Created> {
  /** Builds the new record, or the refusal if the listed record lacks what it needs. */
  build: (input: Input, listed: Listed) => Created | CommandOutcome;
  create: (tx: Transaction, commands: Command<Created>[]) => Promise<CommandOutcome[]>;
}

interface LinkParts<Input, Listed, Created> {
  kind: LinkKind;
  creation: Creation<Input, Listed, Created>;
}

interface Target<Listed> {
  listed: Listed | undefined;
  connection: ConnectionRow;
}

/** Returns the handlers of the commands that link and unlink the records of a kind. */
export function createLinkHandlers<Input extends LinkInput, Listed extends ListedRow, Created extends object>(
  kind: LinkKind,
  creation: Creation<Input, Listed, Created>,
): { link: CommandHandler<Input>; unlink: CommandHandler<NamedConnection> } {
  const parts = { kind, creation };
  return {
    link: (tx, commands) =>
      handleTargets<Listed, Input>(tx, kind, {
        commands,
        handle: (command, target) => linkOne(tx, parts, { command, target }),
      }),
    unlink: (tx, commands) =>
      handleTargets<Listed, NamedConnection>(tx, kind, {
        commands,
        handle: (_command, { listed }) => unlinkOne(tx, kind, listed),
      }),
  };
}

/**
 * Locks the connections and then the listed records of the commands, in the sequence in which the
 * worker locks them. Then handles one command after another, because a link may take the record of
 * another command.
 */
async function handleTargets<Listed extends ListedRow, Input extends NamedConnection>(
  tx: Transaction,
  kind: LinkKind,
  {
    commands,
    handle,
  }: {
    commands: Command<Input>[];
    handle: (command: Command<Input>, target: Target<Listed>) => Promise<CommandOutcome>;
  },
): Promise<CommandOutcome[]> {
  const owners = commands.map((command) => ({ ...command, entityId: command.input.connection_id }));
  const connections = await lockConnections(tx, owners);
  const rows = await lockRecords<Listed>(tx, kind.table, commands.map(toRecordRef));
  const outcomes: CommandOutcome[] = [];
  for (const [index, command] of commands.entries()) {
    const connection = connections.get(refKey(toRecordRef(owners[index] as Command)));
    const listed = rows.get(refKey(toRecordRef(command)));
    outcomes.push(connection ? await handle(command, { connection, listed }) : notFound(kind));
  }
  return outcomes;
}

const labelOf = ({ listedTable }: LinkKind) => String(listedTable.label);
const notFound = (kind: LinkKind) => notFoundOutcome(labelOf(kind));

async function linkOne<Input extends LinkInput, Listed extends ListedRow, Created extends object>(
  tx: Transaction,
  parts: LinkParts<Input, Listed, Created>,
  { command, target: { listed, connection } }: { command: Command<Input>; target: Target<Listed> },
): Promise<CommandOutcome> {
  const { kind } = parts;
  const { target, targetMember } = kind;
  if (connection.status === 'revoked') return refuseMove(connection, 'changed');
  if (!listed) return notFound(kind);
  const wanted = (command.input as Record<string, unknown>)[targetMember] as string | undefined;
  if ((wanted === undefined) === (command.input.create === undefined)) return refuseTarget(targetMember);
  const ref = { tenant_id: command.tenantId, id: wanted ?? newId() };
  if (wanted !== undefined && (await findExistingRecords(tx, target.table, [ref])).size === 0)
    return unknownReferenceOutcome(targetMember, target.entityType);
  const { tenant_id, connection_id, external_id } = listed;
  const link = { tenant_id, connection_id, external_id, local_id: ref.id };
  const found = await findLinks(tx, kind, link);
  if (found.some((one) => one.local_id === ref.id && one.external_id === external_id))
    return { ok: true, changes: [], events: [] };
  const [taken] = found;
  if (taken) return refuseTaken(kind, { taken, listed });
  if (wanted === undefined) {
    const creating = { ...command, entityId: ref.id };
    const refusal = await createTarget(tx, parts, { command: creating, listed });
    if (refusal) return refusal;
  }
  await storeExternalIds(tx, [{ ...link, kind: kind.linkKind, version: null, url: null }]);
  await touchListed(tx, kind, listed);
  await readLinkedAgain(tx, kind, listed);
  return {
    ok: true,
    changes: [{ field: targetMember, from: null, to: ref.id }],
    events: [],
    prompts: [{ queue: INTEGRATIONS_QUEUE, id: connection_id }],
  };
}

function refuseTaken(
  kind: LinkKind,
  { taken, listed }: { taken: FleetLink; listed: ListedRow },
): CommandOutcome {
  const label = labelOf(kind);
  const { entityType } = kind.target;
  const message =
    taken.external_id === listed.external_id
      ? `The ${label} is linked to another ${entityType}. Remove that link first.`
      : `The ${entityType} is linked to another ${label} of this connection, ${taken.external_id}. Remove that link first.`;
  return failedOutcome({ code: 'conflict', message });
}

/** Creates a record here from the listed record. Returns the refusal, if there is one. */
async function createTarget<Input extends LinkInput, Listed extends ListedRow, Created extends object>(
  tx: Transaction,
  { kind, creation }: LinkParts<Input, Listed, Created>,
  { command, listed }: { command: Command<Input>; listed: Listed },
): Promise<CommandOutcome | undefined> {
  const { entityType } = kind.target;
  const { entityId } = command;
  const input = creation.build(command.input, listed);
  if (isOutcome(input)) return input;
  const [outcome] = await creation.create(tx, [{ ...command, input }]);
  if (!outcome?.ok) return outcome;
  const entry = { command, entityType, entityId, action: `${entityType}.created` };
  await auditSideEffects(tx, [{ ...entry, changes: diffNewRecord(input) }]);
  return undefined;
}

async function unlinkOne(
  tx: Transaction,
  kind: LinkKind,
  listed: ListedRow | undefined,
): Promise<CommandOutcome> {
  if (!listed) return notFound(kind);
  const removed = await removeExternalId(tx, { ...listed, kind: kind.linkKind });
  if (removed === undefined) return { ok: true, changes: [], events: [] };
  await touchListed(tx, kind, listed);
  return { ok: true, changes: [{ field: kind.targetMember, from: removed, to: null }], events: [] };
}

function isOutcome(value: object): value is CommandOutcome {
  return 'ok' in value;
}

/** A link names either a record here or the wish to create one. */
function refuseTarget(member: string): CommandOutcome {
  const message = `Send either ${member} or create`;
  const details = [{ field: member, code: 'invalid', message }];
  return failedOutcome({ code: 'validation_error', message: `${message}.`, details });
}
