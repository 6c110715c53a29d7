import { jsonObject } from '../../contracts/resource.js';
import type { Statement } from '../../platform/postgres.js';
import { driverRepresentation } from '../drivers/representation.js';
import { truckMembers, truckStatus } from '../trucks/representation.js';
import { agentWorkOrderMembers, workOrderMembers } from '../work-orders/representation.js';

/** One row: the parts of the board, all of one moment. */
export interface BoardRow {
  generated_at: string;
  /** Jobs, one a line: id, version, seconds and, when asked for, the body; the most urgent first. */
  active: string;
  unassigned: string;
  /** The trucks' JSON texts, joined by commas. */
  trucks: string;
  counts: string;
}

/** Agents are shown `new` jobs as such (decisions 1, row 3). */
export type Viewer = 'rest' | 'agent';

/** A job on the board is its record and how urgent it is; the seconds follow it. */
const JOB: Record<Viewer, string> = {
  rest: `(${jsonObject('t', [...workOrderMembers('t'), 'priority'])})::text`,
  agent: `(${jsonObject('t', [...agentWorkOrderMembers('t'), 'priority'])})::text`,
};

/** Records of each kind that an agent is shown; a board of thousands is for screens, a model would drown in it. The counts are of all. */
const SHOWN_TO_AGENTS = 100;

const URGENT_FIRST = 't.priority desc, t.created_at, t.id';

/** A row's xmin tells each version from every other: no change of any kind is missed. */
function jobs(viewer: Viewer, statuses: string, since: string): string {
  const seconds = `greatest(0, extract(epoch from now() - coalesce(t.${since}, t.created_at)))::bigint`;
  const source = `from work_orders t where t.tenant_id = $1 and t.status in (${statuses})`;
  const [version, shown, count] =
    viewer === 'rest'
      ? ['t.xmin', source, 'count(*)']
      : [
          't.version',
          `from (select t.*, t.xmin as version ${source} order by ${URGENT_FIRST} limit ${SHOWN_TO_AGENTS}) t`,
          `(select count(*) ${source})`,
        ];
  return `select coalesce(string_agg(concat_ws(' ', t.id, ${version}, ${seconds}, case when $2 then ${JOB[viewer]} end), E'\\n'
            order by ${URGENT_FIRST}), '') as items, ${count}::int as count ${shown}`;
}

const DRIVER = `(select ${driverRepresentation('d')} from drivers d where d.tenant_id = t.tenant_id and d.id = t.driver_id)`;

const boardOf = (viewer: Viewer) => `
  with active as materialized (${jobs(viewer, "'dispatched', 'in_progress'", 'dispatch_time')}),
  unassigned as materialized (${jobs(viewer, "'pending'", 'created_at')}),
  fleet as materialized (
    select coalesce(string_agg((${jsonObject('t', [...truckMembers('t'), { name: 'driver', sql: DRIVER }])})::text, ',' order by t.unit_number)
        ${viewer === 'rest' ? '' : `filter (where t.rank <= ${SHOWN_TO_AGENTS})`}, '') as items,
      count(*)::int as count, (count(*) filter (where ${truckStatus('t')} = 'available'))::int as available
    from ${viewer === 'rest' ? 'trucks t' : '(select t.*, row_number() over (order by t.unit_number) as rank from trucks t where t.tenant_id = $1) t'} where t.tenant_id = $1)
  select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as generated_at, active.items as active,
    unassigned.items as unassigned, fleet.items as trucks,
    concat('{"active_jobs":', active.count, ',"unassigned_work_orders":', unassigned.count, ',"trucks":', fleet.count,
      ',"trucks_available":', fleet.available, '}') as counts
  from active, unassigned, fleet`;

const BOARDS: Record<Viewer, string> = { rest: boardOf('rest'), agent: boardOf('agent') };

/** The board of a tenant (decisions 9) in parts. @param withBodies whether the jobs' bodies come along */
export function boardStatement(viewer: Viewer, tenantId: string, withBodies: boolean): Statement {
  return { name: `dispatch-board-${viewer}`, text: BOARDS[viewer], values: [tenantId, withBodies] };
}

export interface JobBodyRow {
  id: string;
  version: string;
  body: string;
}

/** Bodies of jobs as the board shows them, at the version that they have by then. */
export function jobBodiesStatement(viewer: Viewer, tenantId: string, ids: string[]): Statement {
  return {
    name: `dispatch-board-jobs-${viewer}`,
    text: `select t.id, t.xmin::text as version, ${JOB[viewer]} as body from unnest($2::uuid[]) as wanted(id)
           join work_orders t on t.tenant_id = $1 and t.id = wanted.id`,
    values: [tenantId, ids],
  };
}
