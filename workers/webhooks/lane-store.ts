import type { Database } from '../../shared/platform/postgres.js';
import { type LaneRef, tenantsOf } from '../../shared/queues/webhooks.js';
import { recordset } from '../../shared/resources/sets.js';
import type { LaneHealth } from './lane-health.js';

/** Longer than any pause of a process that lives; what a killed one leaves behind waits for so long, in seconds. */
export const LEASE_SECONDS = 15;

/** A lane as its taker found it. */
export interface TakenLane extends LaneRef {
  isMine: boolean;
  health: LaneHealth;
  /** The endpoint's updated_at, not newer than `health`. */
  version: string;
}

/** A lane with the mark of its taking. */
export interface HeldLane extends LaneRef {
  owner: string;
}

const HELD = 'tenant_id uuid, endpoint_id uuid, owner uuid';
const MS = (column: string) => `(extract(epoch from l.${column}) * 1000)::float8`;

function heldRows(lanes: HeldLane[]) {
  return JSON.stringify(
    lanes.map(({ tenantId, endpointId, owner }) => ({ tenant_id: tenantId, endpoint_id: endpointId, owner })),
  );
}

interface LaneRow {
  tenant_id: string;
  endpoint_id: string;
  is_mine: boolean;
  version: string;
  consecutive_failures: number;
  failing_since: number | null;
  last_success_at: number | null;
  last_failure_at: number | null;
  last_error: string | null;
  opened: number;
  open_until: number | null;
  throttled_until: number | null;
  is_slow: boolean;
  stop_reason: LaneHealth['stopReason'];
  exhausted_count: number;
  last_exhausted_id: string | null;
}

/** Takes the lanes that nobody has; the owners of the others find them woken. Lanes that do not exist are missing from the answer. */
export async function takeLanes(db: Database, lanes: HeldLane[]): Promise<TakenLane[]> {
  const rows = await db.transaction(tenantsOf(lanes), (tx) =>
    tx.query<LaneRow>({
      name: 'take-lanes',
      // Locked in one order by everybody, so that two workers that take many cannot wait for each other in a circle.
      text: `with asked as (
               select l.tenant_id, l.endpoint_id, r.owner, (l.owner is null or l.lease_until < now()) as is_free,
                 p.updated_at::text as version
               from ${recordset(HELD)} join webhook_lanes l on l.tenant_id = r.tenant_id and l.endpoint_id = r.endpoint_id
               join webhook_endpoints p on p.tenant_id = r.tenant_id and p.id = r.endpoint_id
               order by l.tenant_id, l.endpoint_id for update of l
             )
             update webhook_lanes l set
               owner = case when a.is_free then a.owner else l.owner end,
               lease_until = case when a.is_free then now() + interval '${LEASE_SECONDS} s' else l.lease_until end,
               woken = not a.is_free
             from asked a where l.tenant_id = a.tenant_id and l.endpoint_id = a.endpoint_id
             returning l.tenant_id, l.endpoint_id, a.is_free as is_mine, a.version, ${HEALTH_COLUMNS}`,
      values: [heldRows(lanes)],
    }),
  );
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    endpointId: row.endpoint_id,
    isMine: row.is_mine,
    health: healthOf(row),
    version: row.version,
  }));
}

const HEALTH_COLUMNS = `l.consecutive_failures, ${MS('failing_since')} as failing_since, ${MS('last_success_at')} as last_success_at,
  ${MS('last_failure_at')} as last_failure_at, l.last_error, l.opened, ${MS('open_until')} as open_until,
  ${MS('throttled_until')} as throttled_until, l.is_slow, l.stop_reason, l.exhausted_count, l.last_exhausted_id`;

function healthOf(row: Omit<LaneRow, 'is_mine' | 'version'>): LaneHealth {
  return {
    consecutiveFailures: row.consecutive_failures,
    failingSince: row.failing_since,
    lastSuccessAt: row.last_success_at,
    lastFailureAt: row.last_failure_at,
    lastError: row.last_error,
    opened: row.opened,
    openUntil: row.open_until,
    throttledUntil: row.throttled_until,
    isSlow: row.is_slow,
    stopReason: row.stop_reason,
    exhaustedCount: row.exhausted_count,
    lastExhaustedId: row.last_exhausted_id,
  };
}

/** What somebody else changed of a lane that is held, such as a person who enabled the endpoint again. */
export async function readHealth(
  db: Database,
  lanes: HeldLane[],
): Promise<(LaneRef & { health: LaneHealth })[]> {
  const rows = await db.transaction(tenantsOf(lanes), (tx) =>
    tx.query<Omit<LaneRow, 'is_mine' | 'version'>>({
      name: 'read-lanes',
      text: `select l.tenant_id, l.endpoint_id, ${HEALTH_COLUMNS}
             from ${recordset(HELD)} join webhook_lanes l on l.tenant_id = r.tenant_id and l.endpoint_id = r.endpoint_id`,
      values: [heldRows(lanes)],
    }),
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, endpointId: row.endpoint_id, health: healthOf(row) }));
}

/** Makes leases longer. What is missing from the answer is held no more. */
export function renewLanes(db: Database, lanes: HeldLane[]): Promise<KeptLane[]> {
  return updateHeld(db, lanes, {
    name: 'renew-lanes',
    set: `lease_until = now() + interval '${LEASE_SECONDS} s'`,
  });
}

/** Gives lanes back. Answers those that were woken meanwhile: whoever comes first is to take them. */
export async function releaseLanes(db: Database, lanes: HeldLane[]): Promise<LaneRef[]> {
  const released = await updateHeld(db, lanes, {
    name: 'release-lanes',
    set: 'owner = null, lease_until = null',
  });
  return released.filter(({ isWoken }) => isWoken);
}

/** A lane that was held indeed, and whether somebody has left a mark in it. */
interface KeptLane extends LaneRef {
  isWoken: boolean;
}

/** Changes lanes that are still held, and takes their marks. */
async function updateHeld(
  db: Database,
  lanes: HeldLane[],
  { name, set }: { name: string; set: string },
): Promise<KeptLane[]> {
  const rows = await db.transaction(tenantsOf(lanes), (tx) =>
    tx.query<{ tenant_id: string; endpoint_id: string; is_woken: boolean }>({
      name,
      text: `with held as (
               select l.tenant_id, l.endpoint_id, l.woken
               from ${recordset(HELD)} join webhook_lanes l on l.tenant_id = r.tenant_id and l.endpoint_id = r.endpoint_id
               where l.owner = r.owner order by l.tenant_id, l.endpoint_id for update of l
             )
             update webhook_lanes l set ${set}, woken = false
             from held h where l.tenant_id = h.tenant_id and l.endpoint_id = h.endpoint_id
             returning l.tenant_id, l.endpoint_id, h.woken as is_woken`,
      values: [heldRows(lanes)],
    }),
  );
  return rows.map((row) => ({ tenantId: row.tenant_id, endpointId: row.endpoint_id, isWoken: row.is_woken }));
}
