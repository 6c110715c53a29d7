import type { Command } from '../../../contracts/command.js';
import { firstIdAtSql } from '../../../platform/id-times.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../../records/sweeps/clock-command.js';
import type { CommandSweep } from '../../../records/sweeps/schedule.js';
import { findRowsRoundRobin } from '../../../records/sweeps/sweep-round-robin.js';
import { type DrivenMiles, storeDrivenMiles } from './command.js';
import type { DrivePosition, DriveWindow } from './measure-drive.js';
import { listWindows, measureWorkOrder, type WorkOrderTimes } from './measure-work-order.js';

/** The most positions that are read for one work order. A truck has 2,880 in 24 hours. */
const MAX_POSITIONS = 3_000;

/**
 * A pass measures no longer than this for each set of accounts in a transaction, because the
 * clock's other schedules wait.
 */
const PASS_BUDGET_MS = 2_000;

/**
 * A drive that is due waits so long for a position from after its completion. A vendor's list may
 * be late after an outage, and a truck that was parked is silent.
 */
const MAX_WAIT = "interval '1 hour'";

const HAS_ARRIVED = `exists (select from trucks k where k.tenant_id = j.tenant_id and k.id = j.truck_id
  and k.located_at >= j.completion_time)`;

interface DueDrive extends ClockTarget, WorkOrderTimes {
  due_at: string;
  truck_id: string | null;
}

const toMs = (sql: string) => `(extract(epoch from ${sql}) * 1000)::float8`;

/**
 * Returns SQL for the time of the first of these steps that the work order's truck reported after
 * `after`, while it was on the work order.
 */
function selectFirstStep(steps: string, after: string): string {
  return `(select min(s.at) from work_order_steps s where s.tenant_id = j.tenant_id and s.work_order_id = j.id
    and s.truck_id = j.truck_id and s.step in (${steps}) and s.at >= ${after} and s.at <= j.completion_time + interval '1 minute')`;
}

/**
 * Returns commands that store the driven miles of completed work orders. The clock measures them,
 * so that no write waits for it. What is left after the budget stays due, and the next pass finds
 * it.
 */
export async function findDueDrives(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<DueDrive>(tx, {
    name: 'sweep-drives',
    rows: `select j.tenant_id, j.id, j.drive_due_at::text as due_at, j.truck_id,
             ${toMs('j.dispatch_time')} as "dispatchedMs", ${toMs('j.completion_time')} as "completedMs",
             ${toMs('loaded.at')} as "loadedMs", ${toMs(selectFirstStep("'at_destination', 'cleared'", 'loaded.at'))} as "unloadedMs"
           from work_orders j
           cross join lateral (select ${selectFirstStep("'hooked', 'towing'", 'j.dispatch_time')} as at) loaded
           where j.tenant_id = t.tenant_id and j.drive_due_at <= now()
             and (j.drive_due_at <= now() - ${MAX_WAIT} or ${HAS_ARRIVED}) order by j.drive_due_at`,
    limit,
  });
  const endAt = performance.now() + PASS_BUDGET_MS;
  const commands: Command[] = [];
  // One after the other, so that the positions of one work order alone are in memory.
  for (const row of rows) {
    if (performance.now() > endAt) break;
    const input = { due_at: row.due_at, driven: await measureDueDrive(tx, row) };
    commands.push(buildClockCommand(storeDrivenMiles, row, input));
  }
  return commands;
}

async function measureDueDrive(tx: Transaction, due: DueDrive): Promise<DrivenMiles | null> {
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
  const columns = `p.lat, p.lng, p.speed_mph as "speedMph", ${toMs('p.at')} as "atMs"`;
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

export const driveSweep: CommandSweep = {
  name: 'measure-drives',
  everyMs: 60_000,
  find: findDueDrives,
};
