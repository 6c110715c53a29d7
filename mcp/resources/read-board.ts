import type { Caller } from '../context/caller.js';
import type { McpRuntime } from '../context/runtime.js';
import { MAX_RESULT_CHARS, truncateLists } from '../text/result-size.js';

const LISTS = ['active_jobs', 'trucks', 'unassigned_work_orders'] as const;

type Lists = Record<(typeof LISTS)[number], unknown[]>;
type Counts = Record<(typeof LISTS)[number], number>;

/**
 * Reads the dispatch board as JSON. If the board has more than {@link MAX_RESULT_CHARS} characters,
 * keeps only the most urgent work orders and the first trucks. `omitted` then contains the number
 * of left-out items per list. `counts` always counts all items.
 */
export async function readBoard({ boards, db }: McpRuntime, { key }: Caller): Promise<string> {
  const text = (await boards.read(db, key.tenantId)).toString();
  const board = JSON.parse(text) as Lists & { counts: Counts };
  const shown = text.length > MAX_RESULT_CHARS ? truncateLists(pickLists(board)) : pickLists(board);
  const omitted = Object.fromEntries(
    LISTS.map((name) => [name, board.counts[name] - shown[name].length]),
  ) as Counts;
  return LISTS.some((name) => omitted[name] > 0) ? JSON.stringify({ ...board, ...shown, omitted }) : text;
}

function pickLists({ active_jobs, trucks, unassigned_work_orders }: Lists): Lists {
  return { unassigned_work_orders, active_jobs, trucks };
}
