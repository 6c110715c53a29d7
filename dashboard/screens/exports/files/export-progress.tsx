import { Progress, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../../api/records';
import { formatBytes, formatCount, nameExport } from '../request/export-wording';

export type Export = Schemas['Export'];

/** Slow enough for the 60 requests a minute that a sandbox may send. */
const PROGRESS_MS = 4000;

export function isUnfinished({ status }: { status: Schemas['ExportStatus'] }): boolean {
  return status === 'queued' || status === 'running';
}

/**
 * Returns how soon to read the exports again, until all are finished. Their progress makes no
 * event.
 */
export function pollWhileUnfinished(exports: readonly Export[]): number | false {
  return exports.some(isUnfinished) && PROGRESS_MS;
}

/** Rows and bytes written so far; while the export is unfinished with a bar. */
export function ExportProgress({ shown }: { shown: Export }) {
  const { rows, bytes, estimated_rows: estimate, percent } = shown.progress;
  if (!isUnfinished(shown)) {
    if (shown.status !== 'completed' && rows === 0) return <>–</>;
    return (
      <span className="digits">
        {formatCount(rows)} rows, {formatBytes(bytes)}
      </span>
    );
  }
  const of = estimate === null ? '' : ` of about ${formatCount(Math.max(estimate, rows))}`;
  return (
    <Stack gap={2} miw={140}>
      <Progress value={percent ?? 0} aria-label={`Progress of ${nameExport(shown)}`} />
      <Text size="xs" c="dimmed" className="digits">
        {formatCount(rows)}
        {of} rows, {formatBytes(bytes)}
      </Text>
    </Stack>
  );
}
