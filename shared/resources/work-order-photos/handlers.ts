import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { ErrorBody } from '../../platform/errors.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import type { WorkOrderPhotoInput } from './commands.js';
import { findPhotoRoom, type PhotoRoom } from './queries.js';
import { checkPhotoRoom } from './room.js';

type PhotoCommand = Command<WorkOrderPhotoInput>;

const toWorkOrderRef = ({ tenantId, input }: PhotoCommand): RecordRef => ({
  tenant_id: tenantId,
  id: input.work_order_id,
});

/**
 * The error if a limit was reached when the request arrived, but is no longer reached now. The
 * picture is not in storage, so the client must send it again.
 */
const ROOM_CHANGED: ErrorBody = {
  code: 'conflict',
  message: 'Another photo was deleted just now. Send this one again, with a new Idempotency-Key.',
};

/**
 * Stores photos whose pictures are in storage. Locks their work orders, so that two concurrent
 * photos cannot together exceed the limit.
 */
export async function createPhotos(tx: Transaction, commands: PhotoCommand[]): Promise<CommandOutcome[]> {
  await lockRecords(tx, 'work_orders', commands.map(toWorkOrderRef));
  const wanted = commands.map(({ tenantId, input: { work_order_id, sha256 } }) => ({
    tenant_id: tenantId,
    work_order_id,
    sha256,
  }));
  const rooms = await tx.query<PhotoRoom>(findPhotoRoom(wanted));
  const byWorkOrder = new Map(rooms.map((room) => [refKey({ ...room, id: room.work_order_id }), room]));
  const outcomes = commands.map((command): CommandOutcome => {
    const { object_key: key, ...shown } = command.input;
    const room = byWorkOrder.get(refKey(toWorkOrderRef(command)));
    const error = checkPhotoRoom(room, shown.bytes) ?? (key === null ? ROOM_CHANGED : undefined);
    return error ? failedOutcome(error) : { ok: true, changes: diffNewRecord(shown), events: [] };
  });
  const rows = commands
    .filter((_, index) => outcomes[index]?.ok)
    .map((command) => ({ ...command.input, ...toRecordRef(command), uploaded_by: command.actor.name }));
  if (rows.length > 0) await insertPhotos(tx, rows);
  return outcomes;
}

const COLUMNS = `tenant_id uuid, id uuid, work_order_id uuid, content_type text, width integer, height integer, bytes integer,
  sha256 text, object_key text, taken_at timestamptz, uploaded_by text`;
const NAMES =
  'tenant_id, id, work_order_id, content_type, width, height, bytes, sha256, object_key, taken_at, uploaded_by';

async function insertPhotos(tx: Transaction, rows: object[]): Promise<void> {
  await tx.query({
    name: 'insert-photos',
    text: `insert into work_order_photos (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

interface PhotoRow extends RecordRef {
  deleted_at: string | null;
}

/** Deletes photos. The storage cleaner then deletes their pictures. */
export async function deletePhotos(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const refs = commands.map(toRecordRef);
  const rows = await lockRecords<PhotoRow & { [member: string]: unknown }>(tx, 'work_order_photos', refs);
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row || row.deleted_at !== null) return notFoundOutcome('photo');
    return { ok: true, changes: [{ field: 'deleted_at', from: null, to: 'now' }], events: [] };
  });
  await tx.query({
    name: 'delete-photos',
    text: `update work_order_photos t set deleted_at = now(), updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id and t.deleted_at is null`,
    values: [JSON.stringify(refs)],
  });
  return outcomes;
}

export const workOrderPhotoHandlers: CommandHandlers = {
  'work_order_photo.create': createPhotos,
  'work_order_photo.delete': deletePhotos,
};
