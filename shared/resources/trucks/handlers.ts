import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { TruckCreate, TruckPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { mergeRecords, planMerge } from '../../records/merge-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { refuseUnknownReferences } from '../../records/references.js';
import { truckFields } from './fields.js';

type Fields = Omit<TruckPatch, 'location'> & {
  lat?: number | null;
  lng?: number | null;
  heading?: number | null;
  speed_mph?: number | null;
  located_at?: string | null;
};

/**
 * Returns the columns that the input sets. If the input has no position, the position's columns
 * stay absent, so a PATCH does not change them.
 */
function toColumns(input: TruckCreate | TruckPatch): Fields {
  const { location, ...fields } = input;
  if (location === undefined) return fields;
  if (location === null)
    return { ...fields, lat: null, lng: null, heading: null, speed_mph: null, located_at: null };
  // A new position also replaces the heading and speed, because the old values would be wrong in
  // the new place.
  const { lat, lng, heading = null, speed_mph = null, at = new Date().toISOString() } = location;
  return { ...fields, lat, lng, heading, speed_mph, located_at: at };
}

function failTakenNumber(unitNumber: string | undefined): CommandOutcome {
  const message = `unit_number ${unitNumber} is taken`;
  return failedOutcome({
    code: 'conflict',
    message: `${message}. Unit numbers are unique in an account, ignoring case.`,
    details: [{ field: 'unit_number', code: 'duplicate', message }],
  });
}

/** Creates trucks. A command whose unit number is taken fails. */
export async function createTrucks(
  tx: Transaction,
  commands: Command<TruckCreate>[],
): Promise<CommandOutcome[]> {
  const refused = await refuseUnknownReferences(tx, commands, truckFields.references);
  const inserted = await insertTrucks(
    tx,
    commands.filter((command) => !refused.has(command)),
  );
  return commands.map((command): CommandOutcome => {
    const refusal = refused.get(command);
    if (refusal) return refusal;
    if (!inserted.has(refKey(toRecordRef(command)))) return failTakenNumber(command.input.unit_number);
    return { ok: true, changes: diffNewRecord(command.input), events: [] };
  });
}

async function insertTrucks(tx: Transaction, commands: Command<TruckCreate>[]): Promise<Set<string>> {
  if (commands.length === 0) return new Set();
  // All batches insert in the same sequence, so that two batches cannot deadlock.
  const sorted = [...commands].sort((a, b) => (numberKey(a) < numberKey(b) ? -1 : 1));
  const rows = sorted.map((command) => ({
    status: 'available',
    ...toColumns(command.input),
    ...toRecordRef(command),
  }));
  const names = truckFields.settableNames.join(', ');
  const inserted = await tx.query<RecordRef>({
    name: 'insert-trucks',
    text: `insert into trucks (tenant_id, id, ${names})
           select tenant_id, id, ${names} from ${recordsetSql(`tenant_id uuid, id uuid, ${truckFields.settable}`)}
           on conflict (tenant_id, lower(unit_number)) do nothing returning tenant_id, id`,
    values: [JSON.stringify(rows)],
  });
  return new Set(inserted.map(refKey));
}

function numberKey({ tenantId, input }: Command<TruckCreate>): string {
  return `${tenantId}/${input.unit_number.toLowerCase()}`;
}

export async function updateTrucks(
  tx: Transaction,
  commands: Command<TruckPatch>[],
): Promise<CommandOutcome[]> {
  const [rows, refused, taken] = await Promise.all([
    lockRecords<Row>(tx, 'trucks', commands.map(toRecordRef)),
    refuseUnknownReferences(tx, commands, truckFields.references),
    findTakenNumbers(tx, commands),
  ]);
  return mergeRecords(tx, commands, {
    table: 'trucks',
    columns: truckFields.changeable,
    plan: (command) => {
      const key = refKey(toRecordRef(command));
      const row = rows.get(key);
      if (!row) return notFoundOutcome('truck');
      const refusal = refused.get(command);
      if (refusal) return refusal;
      if (taken.has(key)) return failTakenNumber(command.input.unit_number);
      return planMerge(row, toColumns(command.input));
    },
  });
}

/**
 * Finds the commands whose unit number another truck has. If another transaction takes the number
 * after this query, the unique index makes the batch fail. When the batch runs again, this function
 * finds the number.
 */
async function findTakenNumbers(tx: Transaction, commands: Command<TruckPatch>[]): Promise<Set<string>> {
  const wanted = commands.flatMap((command) =>
    command.input.unit_number === undefined
      ? []
      : [{ ...toRecordRef(command), unit_number: command.input.unit_number }],
  );
  if (wanted.length === 0) return new Set();
  const rows = await tx.query<RecordRef & { holder: string }>({
    name: 'truck-number-holders',
    text: `select r.tenant_id, r.id, t.id as holder from ${recordsetSql('tenant_id uuid, id uuid, unit_number text')}
           join trucks t on t.tenant_id = r.tenant_id and lower(t.unit_number) = lower(r.unit_number)`,
    values: [JSON.stringify(wanted)],
  });
  return new Set(rows.filter((row) => row.holder !== row.id).map(refKey));
}

export const truckHandlers: CommandHandlers = {
  'truck.create': createTrucks,
  'truck.update': updateTrucks,
};
