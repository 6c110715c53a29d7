import { buildCurl } from '../../../parts/values/curl';

/** The most work orders and suggestions that the board reads beside the dispatch board. */
export const MAX_READ = 200;

/** The query of `/dispatch-board`. */
export const BOARD_QUERY = { expand: 'names' } as const;

/**
 * Returns the query of `/work-orders` for the work orders that were completed today.
 * @param today midnight in the account's time zone
 */
export function completedTodayQuery(today: string) {
  return {
    status: 'completed',
    date_field: 'completion_time',
    since: today,
    limit: MAX_READ,
    expand: 'names',
  } as const;
}

/**
 * Returns two curl commands, because the board is two reads: open work orders with the trucks, and
 * what was completed today. The page itself searches in both, so the search is in neither.
 */
export function buildBoardCurl(today: string): string {
  return [
    buildCurl('/dispatch-board', { query: BOARD_QUERY }),
    buildCurl('/work-orders', { query: completedTodayQuery(today) }),
  ].join('\n');
}
