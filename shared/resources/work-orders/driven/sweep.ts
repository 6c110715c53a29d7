import type { Command } from '../../../contracts/command.js';
import { firstIdAtSql } from '../../../platform/id-times.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../../records/sweeps/clock-command.js';
import { findRowsRoundRobin } from '../../../records/sweeps/sweep-round-robin.js';
import { type DrivenMiles, storeDrivenMiles } from './command.js';
import type { DrivePosition, DriveWindow } from './measure-drive.js';
import { listWindows, measureWorkOrder, type WorkOrderTimes } from './measure-work-order.js';

/** The most positions that are read for one work order. A truck has 2,880 in 24 hours. */
const MAX_POSITIONS = 3_000;

/**
 * A drive that is due waits so long for a position from after its completion. A vendor's list may
 * be late after an outage, and a truck that was parked is silent.
 */
const MAX_WAIT = "interval '1 hour'";

/**
 * SQL for the end of the drive. A completed work order from before this column existed has none.
 */
const END = `case j.status when 'cancelled' then j.drive_until else j.completion_time end`;

const HAS_ARRIVED = `exists (select from trucks k where k.tenant_id = j.tenant_id and k.id = j.truck_id
  and k.located_at >= ${END})`;

/** A drive whose measurement is due. */
export interface DueDrive extends ClockTarget, WorkOrderTimes {
  due_at: string;
  truck_id: string | null;
  /** The place of the drive in the sequence of its account, from 1 on. */
  round: number;
}

const toMs = (sql: string) => `(extract(epoch from ${sql}) * 1000)::float8`;

/**
 * Returns SQL for the time of the first of these steps that the work order's truck reported after
 * `after`, while it was on the work order.
 */
function selectFirstStep(steps: string, after: string): string {
  return `(select min(s.at) from work_order_steps s where s.tenant_id = j.tenant_id and s.work_order_id = j.id
    and s.truck_id = j.truck_id and s.step in (${steps}) and s.at >= ${after} and s.at <= ${END} + interval '1 minute')`;
}

/** Finds the drives to measure: the first of each account, then the second of each. */
export function findDueDrives(tx: Transaction, limit: number): Promise<DueDrive[]> {
  return findRowsRoundRobin<DueDrive>(tx, {
    name: 'sweep-drives',
    rows: `select j.tenant_id, j.id, j.drive_due_at::text as due_at, j.truck_id,
             ${toMs('j.dispatch_time')} as "dispatchedMs", ${toMs(END)} as "endedMs",
             ${toMs('loaded.at')} as "loadedMs", ${toMs(selectFirstStep("'at_destination', 'cleared'", 'loaded.at'))} as "unloadedMs"
           from work_orders j
           cross join lateral (select ${selectFirstStep("'hooked', 'towing'", 'j.dispatch_time')} as at) loaded
           where j.tenant_id = t.tenant_id and j.drive_due_at <= now()
             and (j.drive_due_at <= now() - ${MAX_WAIT} or ${HAS_ARRIVED}) order by j.drive_due_at`,
    limit,
  });
}

/**
 * Returns a command that stores the driven miles of a work order. The clock measures them, so that
 * no write waits for it.
 */
export async function measureDueDrive(tx: Transaction, due: DueDrive): Promise<Command> {
  const driven = await readDrivenMiles(tx, due);
  return buildClockCommand(storeDrivenMiles, due, { due_at: due.due_at, driven });
}

async function readDrivenMiles(tx: Transaction, due: DueDrive): Promise<DrivenMiles | null> {
  const { whole, loaded } = listWindows(due);
  const window = whole ?? loaded;
  if (!window || due.truck_id === null) return null;
  const positions = await readPositions(tx, due, window);
  return positions.length === 0 ? null : measureWorkOrder(positions, due);
}

/**
 * Reads the kept positions of a truck in a window, oldest first, with the ones before and after it.
 * If no position is in the window, the truck was not tracked, and the result is empty.
 */
async function readPositions(
  tx: Transaction,
  { tenant_id: tenantId, truck_id: truckId }: DueDrive,
  { fromMs, untilMs }: DriveWindow,
): Promise<DrivePosition[]> {
  const [from, until] = [
    firstIdAtSql('to_timestamp($3 / 1000.0)'),
    firstIdAtSql('to_timestamp($4 / 1000.0)'),
  ];
  const own = 'p.tenant_id = $1 and p.truck_id = $2';
  const columns = `p.lat, p.lng, p.speed_mph as "speedMph", ${toMs('p.at')} as "atMs",
    case when p.odometer_at is not null then json_build_object('miles', p.odometer_miles, 'source', p.odometer_source,
      'connectionId', p.connection_id, 'atMs', ${toMs('p.odometer_at')}) end as reading`;
  const rows = await tx.query<DrivePosition & { is_inside: boolean }>({
    name: 'read-drive',
    text: `(select ${columns}, false as is_inside from truck_positions p where ${own} and p.id < ${from} order by p.id desc limit 1)
           union all
           (select ${columns}, true from truck_positions p where ${own} and p.id >= ${from} and p.id < ${until} order by p.id limit ${MAX_POSITIONS})
           union all
           (select ${columns}, false from truck_positions p where ${own} and p.id >= ${until} order by p.id limit 1)`,
    values: [tenantId, truckId, fromMs, untilMs],
  });
  if (!rows.some((row) => row.is_inside)) return [];
  return rows.sort((one, other) => one.atMs - other.atMs);
}
