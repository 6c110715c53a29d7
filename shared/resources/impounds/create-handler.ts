import { joinCardInForce } from '../../billing/card-in-force.js';
import { findStorageItem } from '../../billing/compute-work-order-price.js';
import { chargedDays, MAX_CLIENT_CLOCK_SKEW } from '../../billing/storage-days.js';
import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { ImpoundCreate, RateCardItem } from '../../contracts/generated.js';
import type { ErrorDetail } from '../../platform/errors.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { failedOutcome } from '../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../records/record-refs.js';
import { impoundFields, vehicle } from './fields.js';

type CreateCommand = Command<ImpoundCreate>;

/**
 * The facts about a new impound that `findArrivals` reads: whether its references exist, and the
 * default values from the work order, customer and rate card.
 */
interface Arrival extends RecordRef {
  job_known: boolean;
  customer_known: boolean;
  is_future: boolean;
  service_type: string | null;
  items: RateCardItem[] | null;
  customer_id: string | null;
  vehicle_vin: string | null;
  vehicle_make: string | null;
  vehicle_model: string | null;
  vehicle_year: number | null;
}

/**
 * Inserts impounds with the storage days charged so far. A day counts as soon as it starts. Free
 * days do not count.
 */
export async function createImpounds(tx: Transaction, commands: CreateCommand[]): Promise<CommandOutcome[]> {
  const arrivals = await findArrivals(tx, commands);
  const plans = commands.map((command) =>
    planImpound(command, arrivals.get(refKey(toRecordRef(command))) as Arrival),
  );
  const rows = plans.flatMap((plan) => ('ok' in plan ? [] : plan.row));
  const inserted = await insertImpounds(tx, rows);
  return plans.map((plan, index): CommandOutcome => {
    const command = commands[index] as CreateCommand;
    if ('ok' in plan) return plan;
    if (!inserted.has(refKey(toRecordRef(command)))) return duplicateWorkOrder();
    return { ok: true, changes: diffNewRecord({ ...command.input }), events: [] };
  });
}

async function findArrivals(tx: Transaction, commands: CreateCommand[]): Promise<Map<string, Arrival>> {
  const requests = commands.map((command) => ({
    ...toRecordRef(command),
    work_order_id: command.input.work_order_id ?? null,
    customer_id: command.input.customer_id ?? null,
    of_job: command.input.customer_id === undefined,
    impounded_at: command.input.impounded_at ?? null,
  }));
  const rows = await tx.query<Arrival>({
    name: 'impound-arrivals',
    text: `select r.tenant_id, r.id, r.work_order_id is null or w.id is not null as job_known,
             r.customer_id is null or c.id is not null as customer_known, at.moment > now() + ${MAX_CLIENT_CLOCK_SKEW} as is_future,
             w.service_type, card.items, c.id as customer_id, w.vin as vehicle_vin, w.vehicle_make, w.vehicle_model, w.vehicle_year
           from ${recordsetSql('tenant_id uuid, id uuid, work_order_id uuid, customer_id uuid, of_job boolean, impounded_at timestamptz')}
           join tenants t on t.tenant_id = r.tenant_id
           left join work_orders w on w.tenant_id = r.tenant_id and w.id = r.work_order_id
           left join customers c on c.tenant_id = r.tenant_id and c.id = case when r.of_job then w.customer_id else r.customer_id end
           cross join lateral (select coalesce(r.impounded_at, now()) as moment) at
           cross join lateral (select (at.moment at time zone t.time_zone)::date as day) first
           ${joinCardInForce('r.tenant_id', 'c.rate_card_id', 'first.day')}`,
    values: [JSON.stringify(requests)],
  });
  return new Map(rows.map((row) => [refKey(row), row]));
}

function planImpound(command: CreateCommand, arrival: Arrival): { row: object } | CommandOutcome {
  const { vehicle: stored, ...input } = command.input;
  const item = findStorageItem(arrival.items ?? [], arrival.service_type);
  const rate = input.daily_rate_cents ?? item?.unit_price_cents;
  const details = checkArrival(arrival);
  if (rate === undefined) {
    const message =
      'daily_rate_cents is required: no rate card in force has a storage item priced by the day';
    details.push({ field: 'daily_rate_cents', code: 'required', message });
  }
  if (details.length > 0)
    return failedOutcome({ code: 'validation_error', message: `${details[0]?.message}.`, details });
  const {
    items: _items,
    service_type: _service,
    job_known: _job,
    customer_known: _customer,
    is_future: _future,
    ...facts
  } = arrival;
  const row = {
    ...facts,
    ...input,
    ...vehicle.toColumns(stored),
    ...toRecordRef(command),
    status: input.hold_reason === undefined ? 'stored' : 'hold',
    held_from: input.hold_reason === undefined ? null : 'stored',
    daily_rate_cents: rate,
    free_days: input.free_days ?? Math.floor(item?.included_quantity ?? 0),
  };
  return { row };
}

function checkArrival(arrival: Arrival): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  const add = (field: string, code: string, problem: string) =>
    details.push({ field, code, message: `${field} ${problem}` });
  if (!arrival.job_known) add('work_order_id', 'unknown', 'is not a work order of this account');
  if (!arrival.customer_known) add('customer_id', 'unknown', 'is not a customer of this account');
  if (arrival.is_future) add('impounded_at', 'future', 'must not be in the future');
  return details;
}

function duplicateWorkOrder(): CommandOutcome {
  const message = 'the vehicle of this work order is already impounded';
  return failedOutcome({
    code: 'conflict',
    message: `${message}. Find it with GET /impounds?work_order_id=….`,
    details: [{ field: 'work_order_id', code: 'duplicate', message }],
  });
}

const COLUMNS = `tenant_id uuid, id uuid, ${impoundFields.settable}, status text, held_from text`;

async function insertImpounds(tx: Transaction, rows: object[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const names = parseColumnNames(COLUMNS);
  const inserted = await tx.query<RecordRef>({
    name: 'insert-impounds',
    text: `insert into impounds (${names.join(', ')}, accrued_days)
           select ${names.map((name) => `i.${name}`).join(', ')}, ${chargedDays('i', 'now()')}
           from ${recordsetSql(COLUMNS)}
           cross join lateral (select ${names.map((name) => (name === 'impounded_at' ? 'coalesce(r.impounded_at, now()) as impounded_at' : `r.${name}`)).join(', ')}) i
           join tenants t on t.tenant_id = i.tenant_id
           on conflict (tenant_id, work_order_id) where work_order_id is not null do nothing returning tenant_id, id`,
    values: [JSON.stringify(rows)],
  });
  return new Set(inserted.map(refKey));
}
