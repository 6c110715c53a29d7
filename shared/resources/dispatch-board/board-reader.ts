import { LRUCache } from 'lru-cache';
import type { TenantReads } from '../../platform/postgres/database.js';
import { describeDrive } from '../trucks/current-drive.js';
import {
  type BoardRow,
  type BoardViewer,
  buildBoardCustomersQuery,
  buildBoardQuery,
  buildWorkOrderBodiesQuery,
  type WorkOrderBodyRow,
} from './queries.js';

/**
 * Maximum size of the cache in one process, for all tenants together. A board of 5,000 work orders
 * takes four million bytes.
 */
const MAX_CACHED_BYTES = 32_000_000;
/** If more work orders than this have changed, one query renders the whole board. */
const MAX_CHANGED = 500;

interface CachedWorkOrder {
  version: string;
  /**
   * UTF-8 JSON of the work order, without the closing brace, because members that change without
   * the row are appended later.
   */
  body: Buffer;
}

interface ListedWorkOrder {
  id: string;
  version: string;
  seconds: string;
  /** The drive of the truck, or a hyphen. */
  drive: string;
}

/**
 * Reads dispatch boards, and caches the JSON of each work order by its version. PostgreSQL takes
 * some 50 ms to render 5,000 work orders, but few change between two reads. So a read fetches only
 * the changed work orders. The other parts of the board are read each time.
 */
export class DispatchBoardReader {
  readonly #cache = new LRUCache<string, Map<string, CachedWorkOrder>>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: (workOrders) => [...workOrders.values()].reduce((sum, { body }) => sum + body.length, 1),
  });

  constructor(private readonly viewer: BoardViewer = 'rest') {}

  /** Returns the board (docs/decisions.md §9) as UTF-8 JSON. All parts are from one snapshot. */
  async read(db: TenantReads, tenantId: string): Promise<Buffer> {
    const cached = this.#cache.get(tenantId);
    if (!cached) return this.#readWhole(db, tenantId);
    const row = await this.#readRow(db, tenantId, false);
    const active = parseWorkOrders(row.active);
    const unassigned = parseWorkOrders(row.unassigned);
    const shown = [...active, ...unassigned];
    const hasChanged = ({ id, version }: ListedWorkOrder) => cached.get(id)?.version !== version;
    const changed = shown.filter(hasChanged);
    if (changed.length > MAX_CHANGED) return this.#readWhole(db, tenantId);
    if (changed.length > 0) {
      await this.#fetchBodies(db, tenantId, cached, changed);
      // If a version still differs, a work order has changed between the two queries. The parts
      // would then be from two snapshots, so read the whole board.
      if (shown.some(hasChanged)) return this.#readWhole(db, tenantId);
      this.#store(tenantId, cached, shown);
    }
    return renderBoard(row, cached, { active, unassigned });
  }

  /**
   * Returns the board with the further member `customers`: the current customers of its work
   * orders.
   */
  async readWithCustomers(db: TenantReads, tenantId: string): Promise<Buffer> {
    const query = buildBoardCustomersQuery(tenantId);
    // The customers are read after the board, so they are there even if the board came from the
    // primary and a replica lags.
    const board = await this.read(db, tenantId);
    const [row] = await db.read<{ items: string }>(tenantId, query);
    return Buffer.concat([board.subarray(0, -1), Buffer.from(`,"customers":${row?.items ?? '[]'}}`)]);
  }

  async #readRow(db: TenantReads, tenantId: string, withBodies: boolean): Promise<BoardRow> {
    const [row] = await db.read<BoardRow>(tenantId, buildBoardQuery(this.viewer, tenantId, withBodies));
    if (!row) throw new Error('the dispatch board returned no row');
    return row;
  }

  async #readWhole(db: TenantReads, tenantId: string): Promise<Buffer> {
    const row = await this.#readRow(db, tenantId, true);
    const cached = new Map<string, CachedWorkOrder>();
    const active = parseWorkOrders(row.active, cached);
    const unassigned = parseWorkOrders(row.unassigned, cached);
    this.#store(tenantId, cached, [...active, ...unassigned]);
    return renderBoard(row, cached, { active, unassigned });
  }

  async #fetchBodies(
    db: TenantReads,
    tenantId: string,
    cached: Map<string, CachedWorkOrder>,
    changed: ListedWorkOrder[],
  ): Promise<void> {
    const ids = changed.map(({ id }) => id);
    const rows = await db.read<WorkOrderBodyRow>(
      tenantId,
      buildWorkOrderBodiesQuery(this.viewer, tenantId, ids),
    );
    for (const { id, version, body } of rows) cached.set(id, { version, body: withoutClosingBrace(body) });
  }

  /**
   * Removes work orders that left the board, and stores the remaining ones again, so that the cache
   * recomputes their size.
   */
  #store(tenantId: string, cached: Map<string, CachedWorkOrder>, shown: ListedWorkOrder[]): void {
    const ids = new Set(shown.map(({ id }) => id));
    for (const id of cached.keys()) if (!ids.has(id)) cached.delete(id);
    this.#cache.set(tenantId, cached);
  }
}

/** Parses one work order per line of text. If `cached` is given, also puts each body into it. */
function parseWorkOrders(lines: string, cached?: Map<string, CachedWorkOrder>): ListedWorkOrder[] {
  if (lines === '') return [];
  return lines.split('\n').map((line) => {
    const [id, version, seconds, drive] = line.split(' ', 4) as [string, string, string, string];
    const before = id.length + version.length + seconds.length + drive.length + 4;
    cached?.set(id, { version, body: withoutClosingBrace(line.slice(before)) });
    return { id, version, seconds, drive };
  });
}

function withoutClosingBrace(body: string): Buffer {
  return Buffer.from(body.slice(0, -1));
}

/**
 * Assembles the board as bytes. Joining and encoding four million characters as text took a third
 * of the time of a read (measured).
 */
function renderBoard(
  row: BoardRow,
  cached: Map<string, CachedWorkOrder>,
  { active, unassigned }: { active: ListedWorkOrder[]; unassigned: ListedWorkOrder[] },
): Buffer {
  return Buffer.concat([
    Buffer.from(`{"generated_at":"${row.generated_at}","active_jobs":[`),
    renderWorkOrders(active, cached, renderActiveTail),
    Buffer.from(`],"trucks":[${row.trucks}],"unassigned_work_orders":[`),
    renderWorkOrders(unassigned, cached, ({ seconds }) => `"waiting_s":${seconds}`),
    Buffer.from(`],"counts":${row.counts}}`),
  ]);
}

function renderActiveTail({ seconds, drive }: ListedWorkOrder): string {
  const members = JSON.stringify(describeDrive(drive === '-' ? null : drive));
  return `"elapsed_s":${seconds},${members.slice(1, -1)}`;
}

/** `renderTail` returns the members that follow those of the cached JSON, in ASCII. */
function renderWorkOrders(
  workOrders: ListedWorkOrder[],
  cached: Map<string, CachedWorkOrder>,
  renderTail: (workOrder: ListedWorkOrder) => string,
): Buffer {
  const bodies = workOrders.map(({ id }) => (cached.get(id) as CachedWorkOrder).body);
  const tails = workOrders.map((workOrder) => `,${renderTail(workOrder)}},`);
  const bytes = tails.reduce((sum, tail, index) => sum + (bodies[index] as Buffer).length + tail.length, 0);
  const joined = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const [index, tail] of tails.entries()) {
    at += (bodies[index] as Buffer).copy(joined, at);
    at += joined.write(tail, at, 'latin1');
  }
  return joined.subarray(0, Math.max(0, at - 1));
}
