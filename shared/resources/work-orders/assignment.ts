import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { refuseUnknownReferences, unknownReferenceOutcome } from '../../records/references.js';
import { renderRecords } from '../../records/render-records.js';
import { driverTable } from '../drivers/table.js';
import { truckTable } from '../trucks/table.js';
import type { WorkOrderRow } from './work-order-row.js';

interface TruckRow extends Row, RecordRef {
  unit_number: string;
  status: string;
  driver_id: string | null;
}

interface BusyRow {
  tenant_id: string;
  truck_id: string;
  id: string;
  job_number: string;
}

/**
 * The trucks that commands may assign, locked by the transaction. If two dispatchers want the same
 * truck, the second gets an error that names the work order to which the truck is assigned.
 */
export interface LockedFleet {
  /**
   * Returns the truck and driver for the work order, and marks the truck as taken. Returns an error
   * if the truck or the driver cannot be assigned.
   */
  assign(
    job: WorkOrderRow,
    command: AssignCommand,
  ): { truckId: string; driverId: string | null } | CommandOutcome;
}

type AssignCommand = Command<{ truck_id?: string; driver_id?: string | null }>;

export async function lockFleet(tx: Transaction, commands: AssignCommand[]): Promise<LockedFleet> {
  const refs = commands.map(({ tenantId, input }) => ({ tenant_id: tenantId, id: input.truck_id as string }));
  if (refs.length === 0)
    return createFleet({ trucks: new Map(), busy: new Map(), blocked: new Set(), refused: new Map() });
  // Lock the trucks before finding out which are busy. Then no other transaction can assign one of
  // these trucks in between.
  const trucks = await lockRecords<TruckRow>(tx, 'trucks', refs);
  const [busy, blocked, refused] = await Promise.all([
    findBusy(tx, refs),
    findBlocked(tx, refs),
    refuseUnknownReferences(tx, commands, { driver_id: driverTable }),
  ]);
  return createFleet({ trucks, busy, blocked, refused });
}

async function findBusy(tx: Transaction, refs: RecordRef[]): Promise<Map<string, BusyRow>> {
  const rows = await tx.query<BusyRow>({
    name: 'busy-trucks',
    text: `select w.tenant_id, w.truck_id, w.id, w.job_number from ${recordsetSql('tenant_id uuid, id uuid')}
           join work_orders w on w.tenant_id = r.tenant_id and w.truck_id = r.id and w.status in ('dispatched', 'in_progress')`,
    values: [JSON.stringify(refs)],
  });
  return new Map(rows.map((row) => [refKey({ tenant_id: row.tenant_id, id: row.truck_id }), row]));
}

/** Finds trucks with an unresolved out-of-service defect (docs/decisions.md §9). */
async function findBlocked(tx: Transaction, refs: RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'blocked-trucks',
    text: `select distinct r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')}
           join inspections n on n.tenant_id = r.tenant_id and n.truck_id = r.id and n.blocks_dispatch`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}

interface FleetState {
  trucks: Map<string, TruckRow>;
  busy: Map<string, BusyRow>;
  blocked: Set<string>;
  /** The errors of commands with an unknown driver. */
  refused: Map<AssignCommand, CommandOutcome>;
}

function createFleet({ trucks, busy, blocked, refused }: FleetState): LockedFleet {
  return {
    assign(job, command) {
      const { truck_id: truckId = '', driver_id: driverId } = command.input;
      const key = refKey({ tenant_id: job.tenant_id, id: truckId });
      const truck = trucks.get(key);
      if (!truck) return unknownReferenceOutcome('truck_id', 'truck');
      const refusal = refused.get(command);
      if (refusal) return refusal;
      const other = busy.get(key);
      if (other && other.id !== job.id) return failTaken(truck, other);
      if (blocked.has(key) || truck.status === 'out_of_service') {
        return conflict(
          truck,
          'is out of service. Resolve its defect first, or take another truck.',
          'out_of_service',
        );
      }
      if (truck.status === 'off_duty')
        return conflict(truck, 'is off duty. Set it available first, or take another truck.', 'off_duty');
      // A truck that this work order has just left is free for the next command of the batch.
      const left = job.truck_id ? refKey({ tenant_id: job.tenant_id, id: job.truck_id }) : undefined;
      if (left && left !== key && busy.get(left)?.id === job.id) busy.delete(left);
      busy.set(key, { tenant_id: job.tenant_id, truck_id: truckId, id: job.id, job_number: job.job_number });
      return { truckId, driverId: driverId === undefined ? truck.driver_id : driverId };
    },
  };
}

function failTaken(truck: TruckRow, other: BusyRow): CommandOutcome {
  const message = `truck ${truck.unit_number} is on ${other.job_number}`;
  return failedOutcome({
    code: 'conflict',
    message: `${message}. Take another truck, or unassign it there first.`,
    details: [
      { field: 'truck_id', code: 'taken', message, work_order_id: other.id, job_number: other.job_number },
    ],
  });
}

function conflict(truck: TruckRow, why: string, code: string): CommandOutcome {
  const message = `truck ${truck.unit_number} ${why}`;
  return failedOutcome({ code: 'conflict', message, details: [{ field: 'truck_id', code, message }] });
}

/**
 * Reads the trucks and drivers of the work orders. The returned function returns the truck and
 * driver of a work order as the event `dispatch.assigned` shows them (docs/decisions.md §8).
 */
export async function renderAssigned(
  tx: Transaction,
  rows: WorkOrderRow[],
): Promise<(row: WorkOrderRow) => Record<string, unknown>> {
  const refs = (member: 'truck_id' | 'driver_id') =>
    rows.flatMap((row) => (row[member] ? [{ tenant_id: row.tenant_id, id: row[member] }] : []));
  const [trucks, drivers] = await Promise.all([
    renderRecords(tx, truckTable, refs('truck_id')),
    renderRecords(tx, driverTable, refs('driver_id')),
  ]);
  const parseBody = (bodies: Map<string, string>, tenantId: string, id: string | null): unknown => {
    const body = id && bodies.get(refKey({ tenant_id: tenantId, id }));
    return body ? JSON.parse(body) : null;
  };
  return (row) => ({
    truck: parseBody(trucks, row.tenant_id, row.truck_id),
    driver: parseBody(drivers, row.tenant_id, row.driver_id),
  });
}
