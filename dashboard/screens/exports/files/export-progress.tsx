import { Progress, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../../api/records';
import { formatBytes, formatCount, nameExport } from '../request/export-wording';

export type Export = Schemas['Export'];

/**
 * Interval at which the page reads unfinished exports. It suits a sandbox too, which may send only
 * 60 requests a minute.
 */
const PROGRESS_MS = 4000;

export function isUnfinished({ status }: { status: Schemas['ExportStatus'] }): boolean {
  return status === 'queued' || status === 'running';
}

/**
 * Returns the time in ms until the exports must be read again, or false once all are finished. The
 * page must poll, because progress causes no event.
 */
export function pollWhileUnfinished(exports: readonly Export[]): number | false {
  return exports.some(isUnfinished) && PROGRESS_MS;
}

/** The rows and bytes written so far. An unfinished export also has a progress bar. */
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
