import { type ClientReport, findLongestPause, type Period } from './clients/client-call.js';

export interface FailoverResult {
  reports: ClientReport[];
  /** From the kill until every kind of client succeeds again. */
  redisKill: Period;
  postgresKill: Period;
  /** What the checks of the stores found. */
  problems: string[];
}

const HEADINGS = [
  'client',
  'calls',
  'at once',
  'after a retry',
  'failed',
  'pause at the Redis kill',
  'pause at the PostgreSQL kill',
  'lost',
  'doubled',
];

/** Builds the table of what each kind of client saw, as Markdown. */
export function buildTable({ reports, redisKill, postgresKill }: FailoverResult): string[] {
  const rows = reports.map(({ kind, calls, lost, doubled }) => {
    const succeeded = calls.filter(({ succeededAt }) => succeededAt);
    const atOnce = succeeded.filter(({ tries }) => tries === 1).length;
    const pause = (period: Period) => `${(findLongestPause(calls, period) / 1000).toFixed(1)} s`;
    const counts = [calls.length, atOnce, succeeded.length - atOnce, calls.length - succeeded.length];
    return [kind, ...counts, pause(redisKill), pause(postgresKill), lost, doubled].map(String);
  });
  const widths = HEADINGS.map((heading, nth) =>
    Math.max(...[heading, ...rows.map((row) => row[nth] ?? '')].map(({ length }) => length)),
  );
  const format = (cells: string[]) =>
    `| ${cells.map((cell, nth) => cell.padEnd(widths[nth] ?? 0)).join(' | ')} |`;
  return [format(HEADINGS), format(widths.map((width) => '-'.repeat(width))), ...rows.map(format)];
}

/** Returns a problem if the server that was killed serves again and no other took over. */
export function findTakeoverProblems(store: string, killed: string, successor: string): string[] {
  return killed === successor ? [`no other ${store} took over: ${successor} serves again`] : [];
}

/** Lists everything that is missing, doubled or failed. */
export function listFaults({ reports, problems }: FailoverResult): string[] {
  const counted = reports.flatMap(({ kind, calls, lost, doubled }) => {
    const failed = calls.filter(({ succeededAt }) => !succeededAt).length;
    const counts: [string, number][] = [
      ['lost', lost],
      ['doubled', doubled],
      ['failed', failed],
    ];
    return counts.filter(([, count]) => count > 0).map(([word, count]) => `${kind}: ${count} ${word}`);
  });
  return [...counted, ...problems];
}

/** Builds the lines below the table: that nothing is missing, or what is. */
export function buildVerdict(result: FailoverResult): string[] {
  const faults = listFaults(result);
  if (faults.length > 0) return ['SOMETHING IS MISSING OR WRONG:', ...faults.map((fault) => `- ${fault}`)];
  const writes = result.reports.filter(({ kind }) => / write\b/.test(kind));
  const acknowledged = writes.flatMap(({ calls }) => calls.filter(({ succeededAt }) => succeededAt)).length;
  const storedOnce = writes.reduce((sum, report) => sum + (report.storedOnce ?? 0), 0);
  return [`nothing is missing: ${acknowledged} acknowledged writes, ${storedOnce} stored once`];
}
