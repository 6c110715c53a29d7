import { asInstant } from '../../contracts/fields.js';
import { newId } from '../../platform/ids.js';
import type { Database, Row, Statement } from '../../platform/postgres.js';
import { candidates, candidateValues, type ReplayFilter, type ReplayKind } from './candidates.js';

/** Rows that are looked through to count, at all endpoints together; a statement must end in time. */
const COUNTED = 10_000;

/** A replay before it exists. */
export interface PlannedReplay {
  endpoint_id: string | null;
  filter: ReplayFilter;
  total: number | null;
}

export interface Wish {
  tenantId: string;
  kind: ReplayKind;
  endpointId: string | null;
  /** Members left out: no bound. */
  filter: Partial<ReplayFilter>;
}

/**
 * Counts what a replay would make, as things are now. On a connection of its own: it may take a second, and whatever shares the connections of other reads would
 * wait for it.
 */
export async function planReplay(
  db: Database,
  { tenantId, kind, endpointId, filter: given }: Wish,
): Promise<PlannedReplay> {
  const [since, until] = [asInstant(given.since), asInstant(given.until)];
  const filter = { event_type: null, status: null, ...given, since, until };
  const statement = countStatement({ tenantId, kind, endpointId, filter });
  const [found] = await db.transaction([tenantId], (tx) => tx.query<Count>(statement));
  return { endpoint_id: endpointId, filter, total: found?.is_cut ? null : (found?.total ?? 0) };
}

interface Count extends Row {
  total: number;
  /** There was more to look at. */
  is_cut: boolean;
}

/** An event is delivered to an endpoint once by a replay, however many of its deliveries there match. */
export function countStatement({
  tenantId,
  kind,
  endpointId,
  filter,
}: Wish & { filter: ReplayFilter }): Statement {
  const limit = COUNTED + 1;
  return {
    name: `count-${kind}-${filter.status}`,
    text: `select count(distinct (c.endpoint_id, c.event_id)) filter (where c.is_match)::int as total, count(*) = ${limit} as is_cut
           from (
             select e.id as endpoint_id, s.event_id, s.is_match
             from webhook_endpoints e cross join lateral (${candidates(kind, filter, `${limit}`)}) s
             where e.tenant_id = $1::uuid and e.enabled and e.deleted_at is null and ($7::uuid is null or e.id = $7::uuid)
             limit ${limit}) c`,
    values: [...candidateValues({ tenantId, replayId: newId(), kind, filter }), endpointId],
  };
}
