import type { Schemas } from '../../../api/records';
import type { ExportFilters } from './export-filters';
import type { ExportFormat, ExportResource } from './export-wording';

/** The members that a new export and an export schedule have in common. */
export type RequestDraft = Required<
  Pick<
    Schemas['ExportCreate'],
    'resource' | 'format' | 'filters' | 'include' | 'compression' | 'bom' | 'decimals'
  >
>;

/** The names of the request's fields in the API's faults. */
export const REQUEST_FIELDS = [
  'resource',
  'format',
  'include',
  'compression',
  'bom',
  'decimals',
  ...(
    [
      'search',
      'status',
      'customer_id',
      'since',
      'until',
      'date_field',
      'company_type',
      'is_active',
      'service_type',
      'kind',
      'result',
      'truck_id',
      'driver_id',
      'work_order_id',
    ] satisfies (keyof ExportFilters)[]
  ).map((name) => `filters.${name}`),
];

export const EMPTY_REQUEST: RequestDraft = {
  resource: 'invoices',
  format: 'csv',
  filters: {},
  include: [],
  compression: 'gzip',
  bom: false,
  decimals: false,
};

/** Returns the members of a stored export or schedule that belong to its request. */
export function readRequest(stored: RequestDraft): RequestDraft {
  const { resource, format, filters, include, compression, bom, decimals } = stored;
  return { resource, format, filters, include, compression, bom, decimals };
}

/** True if the download is a zip or a dump, which is always compressed. */
export function isAlwaysCompressed({ resource, include, format }: RequestDraft): boolean {
  return resource === 'all' || include.length > 0 || format === 'dump';
}

/**
 * Changes the resource. Removes the filters, because the new resource may not have them. Also
 * replaces the format dump, which only the resource `all` has.
 */
export function changeResource(draft: RequestDraft, resource: ExportResource): RequestDraft {
  const format = draft.format === 'dump' && resource !== 'all' ? 'csv' : draft.format;
  return fitOptions({ ...draft, resource, format, filters: {}, include: [] });
}

export function changeFormat(draft: RequestDraft, format: ExportFormat): RequestDraft {
  return fitOptions({ ...draft, format });
}

/** Removes the options that do not fit the rest of the request. */
export function fitOptions(draft: RequestDraft): RequestDraft {
  const isCsv = draft.format === 'csv';
  return {
    ...draft,
    include: draft.format === 'dump' ? [] : draft.include,
    compression: isAlwaysCompressed(draft) ? 'gzip' : draft.compression,
    bom: isCsv && draft.bom,
    decimals: isCsv && draft.decimals,
  };
}
