import type { Caller } from './caller.js';
import { fitting, ROOM } from './room.js';
import type { McpRuntime } from './runtime.js';

const LISTS = ['active_jobs', 'trucks', 'unassigned_work_orders'] as const;

type Lists = Record<(typeof LISTS)[number], unknown[]>;
type Counts = Record<(typeof LISTS)[number], number>;

/**
 * The dispatch board as JSON. A busy one is shortened to what a model can read: the most urgent jobs, the first trucks, and `omitted` says how many are missing;
 * `counts` are of all.
 */
export async function readBoard({ boards }: McpRuntime, { key }: Caller): Promise<string> {
  const text = (await boards.read(key.tenantId)).toString();
  const board = JSON.parse(text) as Lists & { counts: Counts };
  const shown = text.length > ROOM ? fitting(listsOf(board)) : listsOf(board);
  const omitted = Object.fromEntries(
    LISTS.map((name) => [name, board.counts[name] - shown[name].length]),
  ) as Counts;
  return LISTS.some((name) => omitted[name] > 0) ? JSON.stringify({ ...board, ...shown, omitted }) : text;
}

function listsOf({ active_jobs, trucks, unassigned_work_orders }: Lists): Lists {
  return { unassigned_work_orders, active_jobs, trucks };
}
