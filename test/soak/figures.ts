import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a run counts. The totals of a campaign are the sums over its runs. */
export interface Figures {
  seconds: number;
  /** The times that everything was checked. */
  checkpoints: number;
  /** Acknowledged writes: of REST clients, agents and the account with books. */
  writes: number;
  /** Calls that were sent more than once before they had an outcome. */
  retried: number;
  kills: number;
  flushes: number;
  failovers: number;
  redisStarts: number;
  postgresStarts: number;
  lost: number;
  doubled: number;
  deliveries: number;
  repeatedDeliveries: number;
  exports: number;
  /** Exports that failed because a fault had filled their disk. */
  exportsWithoutSpace: number;
  exportedRows: number;
  agentCalls: number;
  bookedInvoices: number;
}

export const NO_FIGURES: Readonly<Figures> = {
  seconds: 0,
  checkpoints: 0,
  writes: 0,
  retried: 0,
  kills: 0,
  flushes: 0,
  failovers: 0,
  redisStarts: 0,
  postgresStarts: 0,
  lost: 0,
  doubled: 0,
  deliveries: 0,
  repeatedDeliveries: 0,
  exports: 0,
  exportsWithoutSpace: 0,
  exportedRows: 0,
  agentCalls: 0,
  bookedInvoices: 0,
};

const LABELS: Record<keyof Figures, string> = {
  seconds: 'seconds',
  checkpoints: 'checkpoints',
  writes: 'acknowledged writes',
  retried: 'calls sent more than once',
  kills: 'kills',
  flushes: 'FLUSHALLs',
  failovers: 'failovers of Redis and PostgreSQL',
  redisStarts: 'starts of Redis',
  postgresStarts: 'starts of PostgreSQL',
  lost: 'lost',
  doubled: 'doubled',
  deliveries: 'webhook deliveries',
  repeatedDeliveries: 'repeated deliveries',
  exports: 'exports',
  exportsWithoutSpace: 'exports that met a full disk',
  exportedRows: 'exported rows',
  agentCalls: "agents' calls",
  bookedInvoices: 'invoices in the books',
};

/** The figures that a campaign is to reach over all its runs. */
const GOALS: Partial<Figures> = { writes: 1_000_000, kills: 1000, flushes: 100, failovers: 100 };

export interface RunRecord {
  seed: number;
  startedAt: string;
  figures: Figures;
  /** How often each fault was made, by its name. */
  faults: Record<string, number>;
  failures: string[];
}

/** The runs of a campaign, in a file, so that further runs add to them. */
export class Campaign {
  private readonly earlier: RunRecord[];

  constructor(private readonly folder: string) {
    this.earlier = readRuns(this.#file);
  }

  get #file(): string {
    return join(this.folder, 'campaign.json');
  }

  get runCount(): number {
    return this.earlier.length + 1;
  }

  /** Stores the earlier runs and this run, as far as it has come. */
  save(run: RunRecord): void {
    mkdirSync(this.folder, { recursive: true });
    const partial = `${this.#file}.partial`;
    writeFileSync(partial, `${JSON.stringify({ runs: [...this.earlier, run] }, null, 2)}\n`);
    renameSync(partial, this.#file);
  }

  /** Returns the sums over the earlier runs and this run. */
  sum(run: RunRecord): Figures {
    const totals: Figures = { ...NO_FIGURES };
    for (const { figures } of [...this.earlier, run])
      for (const name of Object.keys(totals) as (keyof Figures)[]) totals[name] += figures[name] ?? 0;
    return totals;
  }
}

function readRuns(file: string): RunRecord[] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { runs: RunRecord[] }).runs;
  } catch (error) {
    // A campaign begins without a file. Any other error must not make it forget its runs.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
}

/** Renders the figures of a run, and those of the campaign beside the goals. */
export function renderFigures(run: RunRecord, campaign: Campaign): string {
  const totals = campaign.sum(run);
  const rows = (Object.keys(NO_FIGURES) as (keyof Figures)[]).map((name) => [
    LABELS[name],
    format(run.figures[name]),
    format(totals[name]),
    GOALS[name] === undefined ? '' : format(GOALS[name]),
  ]);
  const header = ['figure', 'this run', `${campaign.runCount} run(s)`, 'goal'];
  const faults = Object.entries(run.faults).map(([name, count]) => `${count} × ${name}`);
  return `${renderTable([header, ...rows])}\n\nfaults: ${faults.join(', ') || 'none'}`;
}

function format(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Renders rows of texts. Aligns the first column to the left and the others to the right. */
export function renderTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, nth) => Math.max(...rows.map((row) => (row[nth] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, nth) => (nth === 0 ? cell.padEnd(widths[nth] ?? 0) : cell.padStart(widths[nth] ?? 0)))
        .join('  '),
    )
    .join('\n');
}
