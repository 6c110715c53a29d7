import { insertReplayDeliveriesSql } from '../../deliveries/insert-deliveries.js';
import { getIdTimeMs } from '../../platform/id-times.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import type { RecordRef } from '../../records/record-refs.js';
import {
  buildCandidateValues,
  type ReplayFilter,
  type ReplayKind,
  renderCandidatesSql,
} from './candidates.js';
import { MAX_REPLAY_MS } from './limits.js';

const MAX_DELIVERIES_PER_PASS = 200;
/**
 * Maximum number of open deliveries from replays per endpoint. More deliveries would only wait and
 * become outdated.
 */
const MAX_OPEN_PER_ENDPOINT = 100;
/** Maximum number of rows that a pass examines for one endpoint. */
const MAX_EXAMINED_PER_PASS = 2000;
const DONE = 'done';

/**
 * Maximum number of replays per tenant in a pass. If a tenant has more running replays, only its
 * own replays are delayed.
 */
const MAX_REPLAYS_PER_TENANT = 5;

/**
 * Finds running replays, at most {@link MAX_REPLAYS_PER_TENANT} of each tenant. The replays that
 * have waited longest come first. A replay starts only after all transactions older than the replay
 * have ended, because their events are invisible until then.
 */
export async function findRunningReplays(tx: Transaction): Promise<RecordRef[]> {
  return tx.query<RecordRef>({
    name: 'running-replays',
    text: `select w.tenant_id, w.id
           from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
           cross join lateral (
             select w.tenant_id, w.id, w.updated_at from webhook_replays w
             where w.tenant_id = own.tenant_id and w.status = 'running' and (w.xid is null or w.xid < pg_snapshot_xmin(pg_current_snapshot()))
             order by w.updated_at, w.id limit ${MAX_REPLAYS_PER_TENANT}) w
           order by w.tenant_id, w.updated_at, w.id`,
  });
}

interface RunningReplay extends Row, RecordRef {
  kind: ReplayKind;
  endpoint_id: string | null;
  filter: ReplayFilter;
  positions: Record<string, string>;
}

/**
 * Creates the next deliveries of a replay. One transaction stores the deliveries and the id of the
 * last examined row. Delivery ids are deterministic, so no delivery is created twice. Skips a
 * replay or an endpoint that another clock has locked.
 * @returns the endpoints that got new deliveries
 */
export async function continueReplay(tx: Transaction, ref: RecordRef): Promise<string[]> {
  const [locked] = await tx.query<{ record: RunningReplay }>({
    name: 'lock-running-replay',
    text: `select to_jsonb(t) as record from webhook_replays t
           where t.tenant_id = $1 and t.id = $2 and t.status = 'running' for update skip locked`,
    values: [ref.tenant_id, ref.id],
  });
  if (!locked) return [];
  const replay = locked.record;
  const endpoints = await findEndpoints(tx, replay);
  if (shouldCancel(replay, endpoints)) {
    await storeProgress(tx, replay, { made: 0, status: 'cancelled' });
    return [];
  }
  const endpointIds: string[] = [];
  let made = 0;
  for (const { id, is_open } of endpoints) {
    if (!is_open || replay.positions[id] === DONE || made >= MAX_DELIVERIES_PER_PASS) continue;
    const chunk = await createChunk(tx, replay, {
      endpointId: id,
      maxDeliveries: MAX_DELIVERIES_PER_PASS - made,
    });
    if (!chunk) continue;
    if (chunk.made > 0) endpointIds.push(id);
    made += chunk.made;
    if (chunk.is_done) replay.positions[id] = DONE;
    else if (chunk.position) replay.positions[id] = chunk.position;
  }
  const isDone = endpoints.every(({ id, is_open }) => !is_open || replay.positions[id] === DONE);
  await storeProgress(tx, replay, { made, status: isDone ? 'completed' : 'running' });
  return endpointIds;
}

interface ReplayEndpoint {
  id: string;
  is_open: boolean;
}

async function findEndpoints(tx: Transaction, replay: RunningReplay): Promise<ReplayEndpoint[]> {
  return tx.query<ReplayEndpoint>({
    name: 'endpoints-of-replay',
    text: `select e.id, e.enabled and e.deleted_at is null as is_open from webhook_endpoints e
           where e.tenant_id = $1 and ($2::uuid is null or e.id = $2::uuid) order by e.id`,
    values: [replay.tenant_id, replay.endpoint_id],
  });
}

/** True if the replay has run for too long, or its only endpoint is disabled or deleted. */
function shouldCancel(replay: RunningReplay, endpoints: ReplayEndpoint[]): boolean {
  if (Date.now() - getIdTimeMs(replay.id) > MAX_REPLAY_MS) return true;
  return replay.endpoint_id !== null && !endpoints.some(({ is_open }) => is_open);
}

interface Chunk {
  made: number;
  /** The id of the last examined row; null if no row was examined. */
  position: string | null;
  is_done: boolean;
}

/**
 * Creates the next deliveries for one endpoint. Returns undefined if another clock has locked the
 * endpoint.
 */
async function createChunk(
  tx: Transaction,
  replay: RunningReplay,
  { endpointId, maxDeliveries }: { endpointId: string; maxDeliveries: number },
): Promise<Chunk | undefined> {
  const values = [replay.tenant_id, endpointId];
  // Without this lock, two concurrent recoveries of one endpoint would create the same deliveries,
  // because they do not see each other's uncommitted rows.
  const [lockedEndpoint] = await tx.query({
    name: 'lock-endpoint-of-replay',
    text: 'select from webhook_endpoints where tenant_id = $1 and id = $2 for no key update skip locked',
    values,
  });
  if (!lockedEndpoint) return undefined;
  const { waiting: openCount } = (await tx.query<{ waiting: number }>({ ...COUNT_OPEN, values }))[0] as {
    waiting: number;
  };
  if (openCount >= MAX_OPEN_PER_ENDPOINT) return { made: 0, position: null, is_done: false };
  const candidateParams = buildCandidateValues({
    tenantId: replay.tenant_id,
    replayId: replay.id,
    kind: replay.kind,
    filter: replay.filter,
    after: replay.positions[endpointId],
  });
  const [chunk] = await tx.query<Chunk>({
    name: `make-${replay.kind}-${replay.filter.status}`,
    text: renderCreateSql(replay),
    values: [...candidateParams, endpointId, replay.id, maxDeliveries],
  });
  return chunk;
}

const COUNT_OPEN = {
  name: 'waiting-replays',
  text: `select count(*) as waiting from (
           select from webhook_deliveries where tenant_id = $1 and endpoint_id = $2 and priority = 1 and next_attempt_at is not null
           limit ${MAX_OPEN_PER_ENDPOINT}) w`,
};

function renderCreateSql({ kind, filter }: RunningReplay): string {
  const insertDeliveries = insertReplayDeliveriesSql({
    kind,
    tenantId: '$1::uuid',
    endpointId: '$7::uuid',
    replayId: '$8::uuid',
    candidates: 'taken',
  });
  return `
    with looked as materialized (
      select s.* from webhook_endpoints e cross join lateral (${renderCandidatesSql(kind, filter, `${MAX_EXAMINED_PER_PASS}`)}) s
      where e.tenant_id = $1::uuid and e.id = $7::uuid
    ), counted as materialized (
      select l.*, count(*) filter (where l.is_match) over (order by l.id) as matches from looked l
    ), taken as materialized (
      select * from counted where matches <= $9::int
    ), made as (${insertDeliveries}
    )
    select (select count(*) from made) as made, (select t.id from taken t order by t.id desc limit 1) as position,
      (select count(*) from taken) = (select count(*) from looked) and (select count(*) from looked) < ${MAX_EXAMINED_PER_PASS} as is_done`;
}

/**
 * Stores the progress of a replay. The new `updated_at` puts the replay behind the tenant's other
 * replays.
 */
async function storeProgress(
  tx: Transaction,
  replay: RunningReplay,
  { made, status }: { made: number; status: 'running' | 'completed' | 'cancelled' },
): Promise<void> {
  await tx.query({
    name: 'continue-replay',
    text: `update webhook_replays t set positions = $3, created_count = created_count + $4::int, status = $5::text,
             completed_at = case when $5::text <> 'running' then clock_timestamp() end, updated_at = ${nextUpdatedAtSql('t')}
           where t.tenant_id = $1 and t.id = $2`,
    values: [replay.tenant_id, replay.id, JSON.stringify(replay.positions), made, status],
  });
}
