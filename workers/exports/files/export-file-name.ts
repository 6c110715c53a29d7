import type { ExportRequest } from '../../../shared/resources/exports/request/export-request.js';
import { listFileSources } from './sources.js';

export interface ExportFileInfo {
  /** For example `invoices-2026-11-22.csv.gz`. */
  fileName: string;
  contentType: string;
}

const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};

export function isZip(request: Pick<ExportRequest, 'resource' | 'format' | 'include'>): boolean {
  return request.format !== 'dump' && (request.resource === 'all' || listFileSources(request).length > 1);
}

/**
 * Returns the name and the media type of an export's file.
 * @param at when the export was requested. The name contains that day in the request's time zone.
 */
export function nameExportFile(request: ExportRequest, at: Date): ExportFileInfo {
  const day = new Intl.DateTimeFormat('en-CA', {
    timeZone: request.timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(at);
  if (request.format === 'dump') return { fileName: `dump-${day}.sql.gz`, contentType: 'application/gzip' };
  if (isZip(request)) {
    const label = request.resource === 'all' ? 'everything' : request.resource;
    return { fileName: `${label}-${request.format}-${day}.zip`, contentType: 'application/zip' };
  }
  const fileName = `${request.resource}-${day}.${request.format}`;
  if (request.compression === 'none') return { fileName, contentType: CONTENT_TYPES[request.format] };
  return { fileName: `${fileName}.gz`, contentType: 'application/gzip' };
}
