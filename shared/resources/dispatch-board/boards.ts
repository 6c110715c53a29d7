import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/postgres.js';
import {
  type BoardRow,
  boardStatement,
  type JobBodyRow,
  jobBodiesStatement,
  type Viewer,
} from './queries.js';

/** Bytes of jobs that one process keeps, over all tenants; a board of 5,000 jobs has four million. */
const MAX_KEPT_BYTES = 32_000_000;
/** With more changed jobs than this the whole board is rendered at once. */
const MAX_MISSING = 500;

interface KeptJob {
  version: string;
  /** UTF-8 JSON without its closing brace: the seconds are still to come. */
  body: Buffer;
}

interface ListedJob {
  id: string;
  version: string;
  seconds: string;
}

/**
 * Reads dispatch boards. To render 5,000 jobs takes PostgreSQL some 50 ms; between two looks at a board few of them change. So the jobs' texts are kept
 * by their version, and a read asks for the versions of all and the bodies of those that changed. Everything else is read anew each time.
 */
export class DispatchBoards {
  readonly #kept = new LRUCache<string, Map<string, KeptJob>>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: (jobs) => [...jobs.values()].reduce((sum, { body }) => sum + body.length, 1),
  });

  constructor(
    private readonly db: Database,
    private readonly viewer: Viewer = 'rest',
  ) {}

  /** The board of a tenant (decisions 9) as UTF-8 JSON; its parts are of one moment. */
  async read(tenantId: string): Promise<Buffer> {
    const kept = this.#kept.get(tenantId);
    if (!kept) return this.#readWhole(tenantId);
    const row = await this.#readRow(tenantId, false);
    const active = listed(row.active);
    const unassigned = listed(row.unassigned);
    const shown = [...active, ...unassigned];
    const isMissing = ({ id, version }: ListedJob) => kept.get(id)?.version !== version;
    const missing = shown.filter(isMissing);
    if (missing.length > MAX_MISSING) return this.#readWhole(tenantId);
    if (missing.length > 0) {
      await this.#fetch(tenantId, kept, missing);
      // A job has changed once more, or another read has put a later version there: the parts would be of two moments.
      if (shown.some(isMissing)) return this.#readWhole(tenantId);
      this.#keep(tenantId, kept, shown);
    }
    return render(row, kept, { active, unassigned });
  }

  async #readRow(tenantId: string, withBodies: boolean): Promise<BoardRow> {
    const [row] = await this.db.read<BoardRow>(tenantId, boardStatement(this.viewer, tenantId, withBodies));
    if (!row) throw new Error('the dispatch board returned no row');
    return row;
  }

  async #readWhole(tenantId: string): Promise<Buffer> {
    const row = await this.#readRow(tenantId, true);
    const kept = new Map<string, KeptJob>();
    const active = listed(row.active, kept);
    const unassigned = listed(row.unassigned, kept);
    this.#keep(tenantId, kept, [...active, ...unassigned]);
    return render(row, kept, { active, unassigned });
  }

  async #fetch(tenantId: string, kept: Map<string, KeptJob>, missing: ListedJob[]): Promise<void> {
    const ids = missing.map(({ id }) => id);
    const rows = await this.db.read<JobBodyRow>(tenantId, jobBodiesStatement(this.viewer, tenantId, ids));
    for (const { id, version, body } of rows) kept.set(id, { version, body: openEnded(body) });
  }

  /** What has left the board is forgotten, and the size of what stays is counted anew. */
  #keep(tenantId: string, kept: Map<string, KeptJob>, shown: ListedJob[]): void {
    const ids = new Set(shown.map(({ id }) => id));
    for (const id of kept.keys()) if (!ids.has(id)) kept.delete(id);
    this.#kept.set(tenantId, kept);
  }
}

/** Reads one job a line; bodies that came along are put into `kept`. */
function listed(lines: string, kept?: Map<string, KeptJob>): ListedJob[] {
  if (lines === '') return [];
  return lines.split('\n').map((line) => {
    const [id, version, seconds] = line.split(' ', 3) as [string, string, string];
    const before = id.length + version.length + seconds.length + 3;
    kept?.set(id, { version, body: openEnded(line.slice(before)) });
    return { id, version, seconds };
  });
}

function openEnded(body: string): Buffer {
  return Buffer.from(body.slice(0, -1));
}

/** Put together as bytes: joining and encoding four million characters took a third of a read (measured). */
function render(
  row: BoardRow,
  kept: Map<string, KeptJob>,
  { active, unassigned }: { active: ListedJob[]; unassigned: ListedJob[] },
): Buffer {
  return Buffer.concat([
    Buffer.from(`{"generated_at":"${row.generated_at}","active_jobs":[`),
    renderJobs(active, kept, 'elapsed_s'),
    Buffer.from(`],"trucks":[${row.trucks}],"unassigned_work_orders":[`),
    renderJobs(unassigned, kept, 'waiting_s'),
    Buffer.from(`],"counts":${row.counts}}`),
  ]);
}

function renderJobs(jobs: ListedJob[], kept: Map<string, KeptJob>, member: string): Buffer {
  const bodies = jobs.map(({ id }) => (kept.get(id) as KeptJob).body);
  // `,"elapsed_s":420}` and a comma
  const tailBytes = member.length + 6;
  const bytes = jobs.reduce(
    (sum, { seconds }, nth) => sum + (bodies[nth] as Buffer).length + tailBytes + seconds.length,
    0,
  );
  const joined = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const [nth, { seconds }] of jobs.entries()) {
    at += (bodies[nth] as Buffer).copy(joined, at);
    at += joined.write(`,"${member}":${seconds}},`, at, 'latin1');
  }
  // The last comma is not one of the list.
  return joined.subarray(0, Math.max(0, at - 1));
}
