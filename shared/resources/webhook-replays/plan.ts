import { toUtcDateTime } from '../../contracts/schemas/fields.js';
import { newId } from '../../platform/ids.js';
import type { Database, Row, SqlQuery } from '../../platform/postgres/database.js';
import {
  buildCandidateValues,
  type ReplayFilter,
  type ReplayKind,
  renderCandidatesSql,
} from './candidates.js';

/**
 * Maximum number of rows that the count examines for all endpoints together, so that the count is
 * fast enough.
 */
const MAX_EXAMINED = 10_000;

export interface PlannedReplay {
  endpoint_id: string | null;
  filter: ReplayFilter;
  total: number | null;
}

export interface ReplayRequest {
  tenantId: string;
  kind: ReplayKind;
  endpointId: string | null;
  /** An absent member does not filter. */
  filter: Partial<ReplayFilter>;
}

/**
 * Counts the deliveries that a replay would create. `total` is null if there are too many rows to
 * examine. The count uses its own database connection, because it may take a second. On a shared
 * connection, it would delay other reads.
 */
export async function planReplay(
  db: Database,
  { tenantId, kind, endpointId, filter: given }: ReplayRequest,
): Promise<PlannedReplay> {
  const [since, until] = [toUtcDateTime(given.since), toUtcDateTime(given.until)];
  const filter = { event_type: null, status: null, ...given, since, until };
  const query = buildCountQuery({ tenantId, kind, endpointId, filter });
  const [count] = await db.transaction([tenantId], (tx) => tx.query<Count>(query));
  return { endpoint_id: endpointId, filter, total: count?.is_cut ? null : (count?.total ?? 0) };
}

interface Count extends Row {
  total: number;
  /** True if more rows exist than the count examined. */
  is_cut: boolean;
}

/**
 * Builds the query that counts the deliveries. An event counts once per endpoint, even if several
 * deliveries match, because a replay delivers each event once.
 */
export function buildCountQuery({
  tenantId,
  kind,
  endpointId,
  filter,
}: ReplayRequest & { filter: ReplayFilter }): SqlQuery {
  const limit = MAX_EXAMINED + 1;
  return {
    name: `count-${kind}-${filter.status}`,
    text: `select count(distinct (c.endpoint_id, c.event_id)) filter (where c.is_match)::int as total, count(*) = ${limit} as is_cut
           from (
             select e.id as endpoint_id, s.event_id, s.is_match
             from webhook_endpoints e cross join lateral (${renderCandidatesSql(kind, filter, `${limit}`)}) s
             where e.tenant_id = $1::uuid and e.enabled and e.deleted_at is null and ($7::uuid is null or e.id = $7::uuid)
             limit ${limit}) c`,
    values: [...buildCandidateValues({ tenantId, replayId: newId(), kind, filter }), endpointId],
  };
}
