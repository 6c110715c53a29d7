import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { WorkOrderCreate, WorkOrderPatch } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { updateRecords } from '../../records/fields/store-fields.js';
import { recordsetSql, toRecordRef } from '../../records/record-refs.js';
import { refuseUnknownReferences } from '../../records/references.js';
import { countUpSql } from '../../records/tenant-counters.js';
import { storeDrives } from './driven/store-handler.js';
import { dropoff, pickup, vehicle, workOrderFields } from './fields.js';
import { createMoveHandler } from './move-handler.js';
import { logSteps } from './step-handler.js';
import { workOrderTable } from './table.js';

type NestedInput = Pick<
  WorkOrderPatch,
  'pickup' | 'dropoff' | 'vehicle' | 'pickup_location' | 'dropoff_location'
>;

/**
 * Returns the columns that the input sets. Columns of absent members stay absent, so a PATCH does
 * not change them. Offers of clubs have the same columns, but those of `dropoff`.
 */
export function toColumns({ pickup: from, dropoff: to, vehicle: towed, ...fields }: NestedInput): object {
  return {
    ...fields,
    ...pickup.toColumns(from, fields.pickup_location),
    ...dropoff.toColumns(to, fields.dropoff_location),
    ...vehicle.toColumns(towed),
  };
}

const WORK_ORDERS = { table: workOrderTable, fields: workOrderFields };

/**
 * Creates work orders. One query assigns the job numbers and inserts the rows, to lock the tenants'
 * counters as briefly as possible.
 */
export async function createWorkOrders(
  tx: Transaction,
  commands: Command<WorkOrderCreate>[],
): Promise<CommandOutcome[]> {
  const refused = await refuseUnknownReferences(tx, commands, workOrderFields.references);
  const bookable = commands.filter((command) => !refused.has(command));
  if (bookable.length > 0) await insertWorkOrders(tx, bookable);
  return commands.map(
    (command) =>
      refused.get(command) ?? {
        ok: true,
        changes: diffNewRecord(command.input),
        events: [{ type: 'work_order.created' }],
      },
  );
}

async function insertWorkOrders(tx: Transaction, commands: Command<WorkOrderCreate>[]): Promise<void> {
  const rows = commands.map((command, index) => ({
    ...toColumns(command.input),
    ...toRecordRef(command),
    ordinal: index,
    // A work order from an agent waits until an operator accepts it. Any other work order counts as
    // accepted (docs/decisions.md §1, row 3).
    intake: command.actor.type === 'agent' ? 'new' : 'accepted',
  }));
  const names = workOrderFields.settableNames.join(', ');
  await tx.query({
    name: 'insert-work-orders',
    text: `with r as materialized (
             select *, row_number() over (partition by tenant_id order by ordinal) as nth,
               count(*) over (partition by tenant_id) as total
             from ${recordsetSql(`tenant_id uuid, id uuid, ordinal integer, intake text, ${workOrderFields.settable}`, 'input')}
           ), counter as (
             ${countUpSql('job_number', { rows: 'r', step: '1' })}
           )
           insert into work_orders (tenant_id, id, job_number, intake, ${names})
           select r.tenant_id, r.id,
                  'WO-' || case when numbered.n < 1000000 then lpad(numbered.n::text, 6, '0') else numbered.n::text end,
                  r.intake, ${workOrderFields.settableNames.map((name) => `r.${name}`).join(', ')}
           from r join counter on counter.tenant_id = r.tenant_id,
                lateral (select counter.value - r.total + r.nth as n) numbered`,
    values: [JSON.stringify(rows)],
  });
}

export function updateWorkOrders(
  tx: Transaction,
  commands: Command<WorkOrderPatch>[],
): Promise<CommandOutcome[]> {
  return updateRecords(tx, commands, { ...WORK_ORDERS, toColumns });
}

export const workOrderHandlers: CommandHandlers = {
  'work_order.create': createWorkOrders,
  'work_order.update': updateWorkOrders,
  'work_order.accept': createMoveHandler('accept'),
  'work_order.assign': createMoveHandler('assign'),
  'work_order.unassign': createMoveHandler('unassign'),
  'work_order.start': createMoveHandler('start'),
  'work_order.step': logSteps,
  'work_order.complete': createMoveHandler('complete'),
  'work_order.cancel': createMoveHandler('cancel'),
  'work_order.reopen': createMoveHandler('reopen'),
  'work_order.store_driven_miles': storeDrives,
};
