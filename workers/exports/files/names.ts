import type { ExportOrder } from '../../../shared/resources/exports/order.js';
import { sourcesOf } from './sources.js';

export interface ExportName {
  /** `invoices-2026-11-22.csv.gz` */
  fileName: string;
  contentType: string;
}

const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
};

/** Whether an order comes to a zip of several files. */
export function isZip(order: Pick<ExportOrder, 'resource' | 'format' | 'include'>): boolean {
  return order.format !== 'dump' && (order.resource === 'all' || sourcesOf(order).length > 1);
}

/**
 * What the whole export is called.
 * @param at when it was asked for; the day in the name is the one of the order's time zone
 */
export function nameOf(order: ExportOrder, at: Date): ExportName {
  const day = new Intl.DateTimeFormat('en-CA', {
    timeZone: order.timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(at);
  if (order.format === 'dump') return { fileName: `dump-${day}.sql.gz`, contentType: 'application/gzip' };
  if (isZip(order)) {
    const what = order.resource === 'all' ? 'everything' : order.resource;
    return { fileName: `${what}-${order.format}-${day}.zip`, contentType: 'application/zip' };
  }
  const fileName = `${order.resource}-${day}.${order.format}`;
  if (order.compression === 'none') return { fileName, contentType: CONTENT_TYPES[order.format] };
  return { fileName: `${fileName}.gz`, contentType: 'application/gzip' };
}
