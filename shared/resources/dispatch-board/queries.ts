import { jsonObject } from '../../contracts/resource.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { driverFields } from '../drivers/fields.js';
import { selectCurrentDrive } from '../trucks/current-drive.js';
import { selectTruckStatus } from '../trucks/current-work-order.js';
import { truckFields } from '../trucks/fields.js';
import { workOrderFields } from '../work-orders/fields.js';
import { agentWorkOrderMembers } from '../work-orders/representation.js';

/** A dispatch board. All parts are from one snapshot. */
export interface BoardRow {
  generated_at: string;
  /**
   * One work order per line of text, most urgent first. A line contains the id, the version, the
   * seconds since dispatch or booking, the drive of the truck and, if requested, the JSON. A hyphen
   * takes the place of an unknown drive.
   */
  active: string;
  unassigned: string;
  /** The trucks' JSON texts, joined by commas. */
  trucks: string;
  counts: string;
}

/**
 * The reader of the board. Agents see the status `new` where REST clients see `pending`
 * (docs/decisions.md §1, row 3).
 */
export type BoardViewer = 'rest' | 'agent';

/**
 * SQL for the JSON of a work order on the board, for each reader. The JSON has the usual fields of
 * a work order, and the priority.
 */
const WORK_ORDER_SQL: Record<BoardViewer, string> = {
  rest: `(${jsonObject('t', [...workOrderFields.members('t'), 'priority'])})::text`,
  agent: `(${jsonObject('t', [...agentWorkOrderMembers('t'), 'priority'])})::text`,
};

/**
 * The board shows an agent at most this many records of each kind, because a model cannot read
 * thousands. The counts include all records.
 */
const MAX_AGENT_RECORDS = 100;

const URGENT_FIRST = 't.priority desc, t.created_at, t.id';

interface WorkOrdersOptions {
  statuses: string;
  since: string;
  /** SQL for the drive of the truck, or null. */
  drive: string;
}

/**
 * Returns SQL for the work orders with these statuses, as text, and for their count. The version of
 * a work order is the `xmin` of its row, which changes with every update.
 */
function workOrdersSql(viewer: BoardViewer, { statuses, since, drive }: WorkOrdersOptions): string {
  const seconds = `greatest(0, extract(epoch from now() - coalesce(t.${since}, t.created_at)))::bigint`;
  const source = `from work_orders t where t.tenant_id = $1 and t.status in (${statuses})`;
  const [version, shown, count] =
    viewer === 'rest'
      ? ['t.xmin', source, 'count(*)']
      : [
          't.version',
          `from (select t.*, t.xmin as version ${source} order by ${URGENT_FIRST} limit ${MAX_AGENT_RECORDS}) t`,
          `(select count(*) ${source})`,
        ];
  return `select coalesce(string_agg(concat_ws(' ', t.id, ${version}, ${seconds}, coalesce(${drive}, '-'), case when $2 then ${WORK_ORDER_SQL[viewer]} end), E'\\n'
            order by ${URGENT_FIRST}), '') as items, ${count}::int as count ${shown}`;
}

const DRIVER_SQL = `(select ${driverFields.representation('d')} from drivers d where d.tenant_id = t.tenant_id and d.id = t.driver_id)`;

const ACTIVE: WorkOrdersOptions = {
  statuses: "'dispatched', 'in_progress'",
  since: 'dispatch_time',
  drive: selectCurrentDrive('t'),
};

const UNASSIGNED: WorkOrdersOptions = { statuses: "'pending'", since: 'created_at', drive: 'null' };

const buildBoardSql = (viewer: BoardViewer) => `
  with active as materialized (${workOrdersSql(viewer, ACTIVE)}),
  unassigned as materialized (${workOrdersSql(viewer, UNASSIGNED)}),
  fleet as materialized (
    select coalesce(string_agg((${jsonObject('t', [...truckFields.members('t'), { name: 'driver', sql: DRIVER_SQL }])})::text, ',' order by t.unit_number)
        ${viewer === 'rest' ? '' : `filter (where t.rank <= ${MAX_AGENT_RECORDS})`}, '') as items,
      count(*)::int as count, (count(*) filter (where ${selectTruckStatus('t')} = 'available'))::int as available
    from ${viewer === 'rest' ? 'trucks t' : '(select t.*, row_number() over (order by t.unit_number) as rank from trucks t where t.tenant_id = $1) t'} where t.tenant_id = $1)
  select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as generated_at, active.items as active,
    unassigned.items as unassigned, fleet.items as trucks,
    concat('{"active_jobs":', active.count, ',"unassigned_work_orders":', unassigned.count, ',"trucks":', fleet.count,
      ',"trucks_available":', fleet.available, '}') as counts
  from active, unassigned, fleet`;

const BOARD_SQL: Record<BoardViewer, string> = { rest: buildBoardSql('rest'), agent: buildBoardSql('agent') };

export function buildBoardQuery(viewer: BoardViewer, tenantId: string, withBodies: boolean): SqlQuery {
  return { name: `dispatch-board-${viewer}`, text: BOARD_SQL[viewer], values: [tenantId, withBodies] };
}

/**
 * Builds the query for the customers of the work orders on the board. Their names are not part of
 * the cached work orders, because a name may change while its work orders stay the same.
 */
export function buildBoardCustomersQuery(tenantId: string): SqlQuery {
  return {
    name: 'dispatch-board-customers',
    text: `select coalesce(json_agg(${jsonObject('c', ['id', 'company_name'])}), '[]')::text as items from customers c
           where c.tenant_id = $1 and c.id = any(array(
             select distinct t.customer_id from work_orders t
             where t.tenant_id = $1 and t.status in ('pending', 'dispatched', 'in_progress') and t.customer_id is not null))`,
    values: [tenantId],
  };
}

export interface WorkOrderBodyRow {
  id: string;
  version: string;
  body: string;
}

/**
 * Builds the query for the JSON of work orders. The query also returns their versions, because a
 * work order may have changed since the board was read.
 */
export function buildWorkOrderBodiesQuery(viewer: BoardViewer, tenantId: string, ids: string[]): SqlQuery {
  return {
    name: `dispatch-board-jobs-${viewer}`,
    text: `select t.id, t.xmin::text as version, ${WORK_ORDER_SQL[viewer]} as body from unnest($2::uuid[]) as wanted(id)
           join work_orders t on t.tenant_id = $1 and t.id = wanted.id`,
    values: [tenantId, ids],
  };
}
