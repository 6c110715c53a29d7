import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { WorkOrderCreate, WorkOrderPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { mergeRecords, planMerge } from '../../records/merge-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { parseColumnNames, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { findExistingRecords, invalidReferencesOutcome } from '../../records/references.js';
import { countUpSql } from '../../records/tenant-counters.js';

type Fields = Omit<WorkOrderPatch, 'pickup' | 'vehicle'> & {
  pickup_lat?: number | null;
  pickup_lng?: number | null;
  vehicle_make?: string | null;
  vehicle_model?: string | null;
  vehicle_year?: number | null;
};

/**
 * Flattens nested members into columns. An absent member stays absent, so that create and merge can
 * share this function.
 */
function toColumns(input: WorkOrderCreate | WorkOrderPatch): Fields {
  const { pickup, vehicle, ...fields } = input;
  const columns: Fields = { ...fields };
  if (pickup === null) Object.assign(columns, { pickup_location: null, pickup_lat: null, pickup_lng: null });
  if (pickup) {
    if (pickup.lat !== undefined) columns.pickup_lat = pickup.lat;
    if (pickup.lng !== undefined) columns.pickup_lng = pickup.lng;
    // The flat field comes from the specification and wins; the nested object only adds to it.
    if (pickup.address !== undefined && fields.pickup_location === undefined)
      columns.pickup_location = pickup.address;
  }
  if (vehicle === null)
    Object.assign(columns, { vehicle_make: null, vehicle_model: null, vehicle_year: null });
  if (vehicle) {
    if (vehicle.make !== undefined) columns.vehicle_make = vehicle.make;
    if (vehicle.model !== undefined) columns.vehicle_model = vehicle.model;
    if (vehicle.year !== undefined) columns.vehicle_year = vehicle.year;
  }
  return columns;
}

const EDITABLE = `service_type text, customer_id uuid, pickup_location text, pickup_lat double precision, pickup_lng double precision,
  dropoff_location text, vin text, vehicle_make text, vehicle_model text, vehicle_year integer, unit_number text, contact_name text,
  contact_phone text, notes text, customer_notes text, billing_email text`;
const EDITABLE_NAMES = parseColumnNames(EDITABLE);

function unknownCustomer(): CommandOutcome {
  const message = 'customer_id is not a customer of this account';
  return invalidReferencesOutcome([{ field: 'customer_id', code: 'unknown', message }]);
}

function customerRefs(commands: Command<WorkOrderCreate | WorkOrderPatch>[]) {
  return commands.flatMap(({ tenantId, input }) =>
    input.customer_id ? [{ tenant_id: tenantId, id: input.customer_id }] : [],
  );
}

function namesUnknownCustomer(
  command: Command<WorkOrderCreate | WorkOrderPatch>,
  known: Set<string>,
): boolean {
  const { customer_id } = command.input;
  return (
    Boolean(customer_id) && !known.has(refKey({ tenant_id: command.tenantId, id: customer_id as string }))
  );
}

/**
 * Creates work orders. The query that inserts them also takes job numbers from the tenants'
 * counters, which keeps the counters' rows locked for the shortest time.
 */
export async function createWorkOrders(
  tx: Transaction,
  commands: Command<WorkOrderCreate>[],
): Promise<CommandOutcome[]> {
  const customers = await findExistingRecords(tx, 'customers', customerRefs(commands));
  const bookable = commands.filter((command) => !namesUnknownCustomer(command, customers));
  if (bookable.length > 0) await insertWorkOrders(tx, bookable);
  return commands.map((command) => {
    if (!bookable.includes(command)) return unknownCustomer();
    const changes = diffNewRecord(command.input as unknown as Record<string, unknown>);
    return { ok: true, changes, events: [{ type: 'work_order.created' }] };
  });
}

async function insertWorkOrders(tx: Transaction, commands: Command<WorkOrderCreate>[]): Promise<void> {
  const rows = commands.map((command, index) => ({
    ...toColumns(command.input),
    ...toRecordRef(command),
    ordinal: index,
    // An agent's work order waits in the operator's queue; an integration's counts as accepted
    // (docs/decisions.md §1, row 3).
    intake: command.actor.type === 'agent' ? 'new' : 'accepted',
  }));
  const names = EDITABLE_NAMES.join(', ');
  await tx.query({
    name: 'insert-work-orders',
    text: `with r as materialized (
             select *, row_number() over (partition by tenant_id order by ordinal) as nth,
               count(*) over (partition by tenant_id) as total
             from ${recordsetSql(`tenant_id uuid, id uuid, ordinal integer, intake text, ${EDITABLE}`, 'input')}
           ), counter as (
             ${countUpSql('job_number', { rows: 'r', step: '1' })}
           )
           insert into work_orders (tenant_id, id, job_number, intake, ${names})
           select r.tenant_id, r.id,
                  'WO-' || case when numbered.n < 1000000 then lpad(numbered.n::text, 6, '0') else numbered.n::text end,
                  r.intake, ${EDITABLE_NAMES.map((name) => `r.${name}`).join(', ')}
           from r join counter on counter.tenant_id = r.tenant_id,
                lateral (select counter.value - r.total + r.nth as n) numbered`,
    values: [JSON.stringify(rows)],
  });
}

/** JSON merge of a work order's fields. Only dispatch commands change status, truck and driver. */
export async function updateWorkOrders(
  tx: Transaction,
  commands: Command<WorkOrderPatch>[],
): Promise<CommandOutcome[]> {
  const [rows, customers] = await Promise.all([
    lockRecords<Row>(tx, 'work_orders', commands.map(toRecordRef)),
    findExistingRecords(tx, 'customers', customerRefs(commands)),
  ]);
  return mergeRecords(tx, commands, {
    table: 'work_orders',
    columns: EDITABLE,
    plan: (command) => {
      const row = rows.get(refKey(toRecordRef(command)));
      if (!row) return notFoundOutcome('work order');
      if (namesUnknownCustomer(command, customers)) return unknownCustomer();
      return planMerge(row, toColumns(command.input));
    },
  });
}
