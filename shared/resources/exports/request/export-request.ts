/** The resources that clients can export. `all` exports everything in one file. */
export const EXPORT_RESOURCES = ['invoices', 'customers', 'work_orders', 'inspections', 'all'] as const;
export type ExportResource = (typeof EXPORT_RESOURCES)[number];

/**
 * The tables in an export of `all`, in the order of their files. CSV has further files for line
 * items, rate-card items and the lists within inspections.
 */
export const ALL_TABLES = [
  'invoices',
  'payments',
  'refunds',
  'customers',
  'work_orders',
  'inspections',
  'trucks',
  'drivers',
  'rate_cards',
  'impounds',
  'claims',
  'messages',
  'sync_issues',
  'sync_runs',
] as const;
export type ExportTable = (typeof ALL_TABLES)[number];

export const EXPORT_FORMATS = ['csv', 'json', 'ndjson', 'dump'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The files that an export of invoices may add. */
export const EXPORT_INCLUDES = ['line_items', 'payments'] as const;
export type ExportInclude = (typeof EXPORT_INCLUDES)[number];

/** The filters of the resource's list, such as status or since, with their values as text. */
export type ExportFilters = Readonly<Record<string, string>>;

/** The content and format of an export. Equal requests on equal data produce the same bytes. */
export interface ExportRequest {
  tenantId: string;
  resource: ExportResource;
  format: ExportFormat;
  filters: ExportFilters;
  /**
   * Additional files of an export of invoices as CSV, JSON or NDJSON. An export of `all` always
   * contains these files.
   */
  include: readonly ExportInclude[];
  /** Compression of a single file. A zip and a dump are always compressed. */
  compression: 'gzip' | 'none';
  /** CSV: starts the file with a byte order mark, which Excel expects. */
  bom: boolean;
  /**
   * CSV: adds a column with the decimal amount next to each column of cents (`total` next to
   * `total_cents`).
   */
  decimals: boolean;
  /** IANA time zone name. A plain date in `since` and `until` means midnight in this zone. */
  timeZone: string;
}

export interface ExportFile {
  /** Such as `invoices.csv`. */
  name: string;
  rows: number;
  /** Uncompressed size. */
  bytes: number;
  /** SHA-256 of the uncompressed bytes, in hexadecimal. */
  sha256: string;
  /** The sum of each column of cents in the snapshot, by the name of the column. */
  sums: Readonly<Record<string, number>>;
}

export interface ExportSummary {
  rows: number;
  files: readonly ExportFile[];
}
