import { deliveryIdSql } from '../../events/delivery-ids.js';
import { timeOfId, timeOfIdSql } from '../../platform/id-times.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { nextUpdatedAt, type RecordRef } from '../sets.js';
import { candidates, candidateValues, type ReplayFilter, type ReplayKind } from './candidates.js';
import { LONGEST_REPLAY_MS } from './limits.js';

/** Deliveries that a replay makes in one pass at most. */
const MADE_PER_PASS = 200;
/** As many open deliveries of replays at an endpoint keep more from being made: there they would only wait, and grow old. */
const WAITING_AT_ENDPOINT = 100;
/** Rows looked at for one endpoint in one pass. */
const LOOKED_PER_PASS = 2000;
const DONE = 'done';

/** Replays of one tenant that a pass goes on with: whoever has more running delays but their own. */
const RUN_OF_TENANT = 5;

/**
 * Replays of this transaction's tenants that are not finished, some of each tenant, of these the ones that have waited longest first. One waits until all transactions that are older than itself have ended, for what they record is not
 * to be seen before.
 */
export async function findRunningReplays(tx: Transaction): Promise<RecordRef[]> {
  return tx.query<RecordRef>({
    name: 'running-replays',
    text: `select w.tenant_id, w.id
           from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
           cross join lateral (
             select w.tenant_id, w.id, w.updated_at from webhook_replays w
             where w.tenant_id = own.tenant_id and w.status = 'running' and (w.xid is null or w.xid < pg_snapshot_xmin(pg_current_snapshot()))
             order by w.updated_at, w.id limit ${RUN_OF_TENANT}) w
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
 * Makes the next deliveries of a replay, oldest first, and remembers where it is, in one transaction: a process that dies leaves all of it or nothing. What it
 * makes is found by its id, so nothing is made twice. Another clock that is at it, or at one of its endpoints, is left alone.
 * @returns the endpoints that have something new
 */
export async function continueReplay(tx: Transaction, ref: RecordRef): Promise<string[]> {
  const [found] = await tx.query<{ record: RunningReplay }>({
    name: 'lock-running-replay',
    text: `select to_jsonb(t) as record from webhook_replays t
           where t.tenant_id = $1 and t.id = $2 and t.status = 'running' for update skip locked`,
    values: [ref.tenant_id, ref.id],
  });
  if (!found) return [];
  const replay = found.record;
  const endpoints = await findEndpoints(tx, replay);
  if (isLost(replay, endpoints)) {
    await store(tx, replay, { made: 0, status: 'cancelled' });
    return [];
  }
  const woken: string[] = [];
  let made = 0;
  for (const { id, is_open } of endpoints) {
    if (!is_open || replay.positions[id] === DONE || made >= MADE_PER_PASS) continue;
    const chunk = await makeChunk(tx, replay, { endpointId: id, room: MADE_PER_PASS - made });
    if (!chunk) continue;
    if (chunk.made > 0) woken.push(id);
    made += chunk.made;
    if (chunk.is_done) replay.positions[id] = DONE;
    else if (chunk.position) replay.positions[id] = chunk.position;
  }
  const isDone = endpoints.every(({ id, is_open }) => !is_open || replay.positions[id] === DONE);
  await store(tx, replay, { made, status: isDone ? 'completed' : 'running' });
  return woken;
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

/** The endpoint that it is for is disabled, and the next recovery begins anew; or it has run for too long. */
function isLost(replay: RunningReplay, endpoints: ReplayEndpoint[]): boolean {
  if (Date.now() - timeOfId(replay.id) > LONGEST_REPLAY_MS) return true;
  return replay.endpoint_id !== null && !endpoints.some(({ is_open }) => is_open);
}

interface Chunk {
  made: number;
  /** The last that was looked at; null: nothing was. */
  position: string | null;
  is_done: boolean;
}

/** Looks at the next candidates at one endpoint and makes deliveries of those that match; undefined when another clock is at it. */
async function makeChunk(
  tx: Transaction,
  replay: RunningReplay,
  { endpointId, room }: { endpointId: string; room: number },
): Promise<Chunk | undefined> {
  const values = [replay.tenant_id, endpointId];
  // Two recoveries of one endpoint would each make what the other has not committed yet.
  const [mine] = await tx.query({
    name: 'lock-endpoint-of-replay',
    text: 'select from webhook_endpoints where tenant_id = $1 and id = $2 for no key update skip locked',
    values,
  });
  if (!mine) return undefined;
  const { waiting } = (await tx.query<{ waiting: number }>({ ...WAITING, values }))[0] as { waiting: number };
  if (waiting >= WAITING_AT_ENDPOINT) return { made: 0, position: null, is_done: false };
  const sought = candidateValues({
    tenantId: replay.tenant_id,
    replayId: replay.id,
    kind: replay.kind,
    filter: replay.filter,
    after: replay.positions[endpointId],
  });
  const [chunk] = await tx.query<Chunk>({
    name: `make-${replay.kind}-${replay.filter.status}`,
    text: makeText(replay),
    values: [...sought, endpointId, replay.id, room],
  });
  return chunk;
}

const WAITING = {
  name: 'waiting-replays',
  text: `select count(*) as waiting from (
           select from webhook_deliveries where tenant_id = $1 and endpoint_id = $2 and priority = 1 and next_attempt_at is not null
           limit ${WAITING_AT_ENDPOINT}) w`,
};

function makeText({ kind, filter }: RunningReplay): string {
  return `
    with looked as materialized (
      select s.* from webhook_endpoints e cross join lateral (${candidates(kind, filter, `${LOOKED_PER_PASS}`)}) s
      where e.tenant_id = $1::uuid and e.id = $7::uuid
    ), counted as materialized (
      select l.*, count(*) filter (where l.is_match) over (order by l.id) as matches from looked l
    ), taken as materialized (
      select * from counted where matches <= $9::int
    ), made as (
      insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, trigger, replay_id, replay_of, priority, created_at)
      select $1::uuid, ${deliveryIdSql('$8::uuid', '$8::uuid', 't.event_id', '$7::uuid')}, $7::uuid, t.event_id, t.event_type, '${kind}',
        $8::uuid, ${kind === 'replay' ? 't.id' : 'null'}, 1, ${timeOfIdSql('$8::uuid')}
      from taken t where t.is_match order by t.id
      on conflict (tenant_id, id) do nothing returning id
    )
    select (select count(*) from made) as made, (select t.id from taken t order by t.id desc limit 1) as position,
      (select count(*) from taken) = (select count(*) from looked) and (select count(*) from looked) < ${LOOKED_PER_PASS} as is_done`;
}

/** Also when nothing could be made: it has had its turn, and the next of its tenant's are those that have not. */
async function store(
  tx: Transaction,
  replay: RunningReplay,
  { made, status }: { made: number; status: 'running' | 'completed' | 'cancelled' },
): Promise<void> {
  await tx.query({
    name: 'continue-replay',
    text: `update webhook_replays t set positions = $3, created_count = created_count + $4::int, status = $5::text,
             completed_at = case when $5::text <> 'running' then clock_timestamp() end, updated_at = ${nextUpdatedAt('t')}
           where t.tenant_id = $1 and t.id = $2`,
    values: [replay.tenant_id, replay.id, JSON.stringify(replay.positions), made, status],
  });
}
