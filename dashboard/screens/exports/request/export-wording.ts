import type { Schemas } from '../../../api/records';
import { EXPORT_RESOURCE } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { humanize } from '../../../parts/record/status-badge';

export type ExportResource = Schemas['ExportResource'];
export type ExportFormat = Schemas['ExportFormat'];

/** The value of the query parameter `view` with which a URL opens the schedules. */
export const SCHEDULES = 'schedules';

export const RESOURCES = wordsOf(EXPORT_RESOURCE);

export const FORMATS: Record<ExportFormat, { label: string; hint: string }> = {
  csv: { label: 'CSV', hint: 'Comma-separated values, for spreadsheets' },
  json: { label: 'JSON', hint: 'One array of objects' },
  ndjson: { label: 'NDJSON', hint: 'One object on each line, for other programs' },
  dump: { label: 'SQL dump', hint: 'Everything that the account owns, which psql can restore' },
};

export function nameResource(resource: ExportResource): string {
  return resource === 'all' ? 'Everything' : humanize(resource);
}

/** Returns a name for an export or a schedule: "Work orders as CSV". */
export function nameExport({ resource, format }: { resource: ExportResource; format: ExportFormat }): string {
  return `${nameResource(resource)} as ${FORMATS[format].label}`;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Formats a number of bytes: 310422 is "310 KB". */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const amount = bytes / 1000 ** power;
  return `${amount.toLocaleString('en-US', { maximumSignificantDigits: 3 })} ${UNITS[power]}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
