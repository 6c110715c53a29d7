import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { VehicleLink as LinkInput, TruckCreate } from '../../contracts/generated.js';
import { newId } from '../../platform/ids.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { findExistingRecords, unknownReferenceOutcome } from '../../records/references.js';
import { removeExternalId, storeExternalIds } from '../../sync/external-ids.js';
import { auditSideEffects } from '../audit-log/audit-side-effects.js';
import { type ConnectionRow, lockConnections, refuseMove } from '../connections/connection-rows.js';
import { createTrucks } from '../trucks/handlers.js';
import type { NamedConnection } from './commands.js';
import { findLinks, TRUCK_KIND, type VehicleLink } from './links.js';
import { readAgain } from './read-again.js';
import { connectionVehicleTable } from './table.js';

const LABEL = connectionVehicleTable.label as string;
const MAX_UNIT_CHARS = 32;
const VIN = /^[A-HJ-NPR-Z0-9]{17}$/i;

interface VehicleRow extends Row, RecordRef {
  connection_id: string;
  external_id: string;
  name: string | null;
  vin: string | null;
  plate: string | null;
  make: string | null;
  model: string | null;
  year: number | null;
  duty_class: 'light' | 'medium' | 'heavy' | null;
}

type LinkCommand = Command<LinkInput & NamedConnection>;

interface Target {
  vehicle: VehicleRow;
  connection: ConnectionRow;
}

/**
 * Locks the connections and then the vehicles of the commands, in the sequence in which the worker
 * locks them.
 */
async function lockTargets(
  tx: Transaction,
  commands: readonly Command<NamedConnection>[],
): Promise<(Target | undefined)[]> {
  const owners = commands.map((command) => ({ ...command, entityId: command.input.connection_id }));
  const connections = await lockConnections(tx, owners);
  const vehicles = await lockRecords<VehicleRow>(tx, connectionVehicleTable.table, commands.map(toRecordRef));
  return commands.map((command, index) => {
    const vehicle = vehicles.get(refKey(toRecordRef(command)));
    const connection = connections.get(refKey(toRecordRef(owners[index] as Command)));
    return vehicle && connection && { vehicle, connection };
  });
}

/** Links vehicles one after another, because a link may take the truck of another command. */
async function linkVehicles(tx: Transaction, commands: LinkCommand[]): Promise<CommandOutcome[]> {
  const targets = await lockTargets(tx, commands);
  const outcomes: CommandOutcome[] = [];
  for (const [index, command] of commands.entries()) {
    const target = targets[index];
    outcomes.push(target ? await linkOne(tx, command, target) : notFoundOutcome(LABEL));
  }
  return outcomes;
}

async function linkOne(
  tx: Transaction,
  command: LinkCommand,
  { vehicle, connection }: Target,
): Promise<CommandOutcome> {
  if (connection.status === 'revoked') return refuseMove(connection, 'changed');
  const { truck_id: wanted, create } = command.input;
  if ((wanted === undefined) === (create === undefined)) return refuseTarget();
  const truck = { tenant_id: command.tenantId, id: wanted ?? newId() };
  if (wanted !== undefined && (await findExistingRecords(tx, 'trucks', [truck])).size === 0)
    return unknownReferenceOutcome('truck_id', 'truck');
  const link = { truck_id: truck.id, external_id: vehicle.external_id };
  const found = await findLinks(tx, vehicle, link);
  if (found.some(({ truck_id, external_id }) => truck_id === truck.id && external_id === vehicle.external_id))
    return { ok: true, changes: [], events: [] };
  const [taken] = found;
  if (taken) return refuseTaken(taken, vehicle);
  if (wanted === undefined) {
    const refusal = await createTruck(tx, command, { vehicle, truckId: truck.id });
    if (refusal) return refusal;
  }
  await storeExternalIds(tx, [{ ...toExternalId(vehicle), local_id: truck.id, version: null, url: null }]);
  await touch(tx, vehicle);
  await readAgain(tx, vehicle);
  return {
    ok: true,
    changes: [{ field: 'truck_id', from: null, to: truck.id }],
    events: [],
    prompts: [{ queue: INTEGRATIONS_QUEUE, id: vehicle.connection_id }],
  };
}

/** A link names either a truck or the wish to create one. */
function refuseTarget(): CommandOutcome {
  const message = 'Send either truck_id or create';
  const details = [{ field: 'truck_id', code: 'invalid', message }];
  return failedOutcome({ code: 'validation_error', message: `${message}.`, details });
}

function toExternalId({ tenant_id, connection_id, external_id }: VehicleRow) {
  return { tenant_id, connection_id, kind: TRUCK_KIND, external_id };
}

function refuseTaken(taken: VehicleLink, { external_id }: VehicleRow): CommandOutcome {
  const message =
    taken.external_id === external_id
      ? 'The vehicle is linked to another truck. Remove that link first.'
      : `The truck is linked to another vehicle of this connection, ${taken.external_id}. Remove that link first.`;
  return failedOutcome({ code: 'conflict', message });
}

/** Creates a truck with the data of the vehicle. Returns the refusal, if there is one. */
async function createTruck(
  tx: Transaction,
  command: LinkCommand,
  { vehicle, truckId }: { vehicle: VehicleRow; truckId: string },
): Promise<CommandOutcome | undefined> {
  const { plate, make, model, year } = vehicle;
  const { unit_number = vehicle.name?.slice(0, MAX_UNIT_CHARS).trim(), duty_class } = command.input;
  if (!unit_number) {
    const message = 'unit_number is required, because the vehicle has no name';
    return failedOutcome({
      code: 'validation_error',
      message: `${message}.`,
      details: [{ field: 'unit_number', code: 'required', message }],
    });
  }
  // A truck has a valid VIN or none, but a vendor may store anything.
  const vin = VIN.test(vehicle.vin ?? '') ? (vehicle.vin as string).toUpperCase() : null;
  const input: TruckCreate = {
    unit_number,
    duty_class: duty_class ?? vehicle.duty_class ?? 'light',
    vin,
    plate,
    make,
    model,
    year,
  };
  const [outcome] = await createTrucks(tx, [{ ...command, entityId: truckId, input }]);
  if (!outcome?.ok) return outcome;
  const entry = { command, entityType: 'truck', entityId: truckId, action: 'truck.created' };
  await auditSideEffects(tx, [{ ...entry, changes: diffNewRecord(input) }]);
  return undefined;
}

/** Marks the vehicle as changed, because its representation shows the link. */
async function touch(tx: Transaction, { tenant_id, id }: VehicleRow): Promise<void> {
  await tx.query({
    name: 'touch-vehicle',
    text: `update connection_vehicles t set updated_at = ${nextUpdatedAtSql('t')} where t.tenant_id = $1 and t.id = $2`,
    values: [tenant_id, id],
  });
}

async function unlinkVehicles(
  tx: Transaction,
  commands: Command<NamedConnection>[],
): Promise<CommandOutcome[]> {
  const targets = await lockTargets(tx, commands);
  const outcomes: CommandOutcome[] = [];
  for (const target of targets) {
    if (!target) {
      outcomes.push(notFoundOutcome(LABEL));
      continue;
    }
    const removed = await removeExternalId(tx, toExternalId(target.vehicle));
    if (removed !== undefined) await touch(tx, target.vehicle);
    const changes = removed === undefined ? [] : [{ field: 'truck_id', from: removed, to: null }];
    outcomes.push({ ok: true, changes, events: [] });
  }
  return outcomes;
}

export const connectionVehicleHandlers: CommandHandlers = {
  'connection_vehicle.link': linkVehicles,
  'connection_vehicle.unlink': unlinkVehicles,
};
