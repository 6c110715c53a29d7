import { newId } from '../../platform/ids.js';
import type { Database, Row, Statement } from '../../platform/postgres.js';
import { candidates, candidateValues, type ReplayFilter, type ReplayKind } from './candidates.js';

/** Rows that are looked through to count; a statement must end in time. */
const COUNTED_OF_ONE = 100_000;
const COUNTED_OF_EACH = 10_000;

/** A replay before it exists. */
export interface PlannedReplay {
  endpoint_id: string | null;
  filter: ReplayFilter;
  total: number | null;
}

interface Wish {
  tenantId: string;
  kind: ReplayKind;
  endpointId: string | null;
  /** Members left out: no bound. */
  filter: Partial<ReplayFilter>;
}

/** Counts what a replay would make, as things are now. */
export async function planReplay(
  db: Database,
  { tenantId, kind, endpointId, filter: given }: Wish,
): Promise<PlannedReplay> {
  const [since, until] = [instant(given.since), instant(given.until)];
  const filter = { event_type: null, status: null, ...given, since, until };
  const [found] = await db.read<Count>(tenantId, countStatement({ tenantId, kind, endpointId, filter }));
  return { endpoint_id: endpointId, filter, total: found?.is_cut ? null : (found?.total ?? 0) };
}

function instant(text: string | null | undefined): string | null {
  return text ? new Date(text.toUpperCase()).toISOString() : null;
}

interface Count extends Row {
  total: number | null;
  /** There was more to look at. */
  is_cut: boolean | null;
}

/** An event is delivered to an endpoint once by a replay, however many of its deliveries there match. */
export function countStatement({
  tenantId,
  kind,
  endpointId,
  filter,
}: Wish & { filter: ReplayFilter }): Statement {
  const limit = endpointId ? COUNTED_OF_ONE : COUNTED_OF_EACH;
  return {
    name: `count-${kind}-${filter.status}-${limit}`,
    text: `select sum(c.matches)::int as total, bool_or(c.looked > ${limit}) as is_cut
           from webhook_endpoints e cross join lateral (
             select count(distinct s.event_id) filter (where s.is_match) as matches, count(*) as looked
             from (${candidates(kind, filter, `${limit + 1}`)}) s) c
           where e.tenant_id = $1::uuid and e.enabled and e.deleted_at is null and ($7::uuid is null or e.id = $7::uuid)`,
    values: [...candidateValues({ tenantId, replayId: newId(), kind, filter }), endpointId],
  };
}
