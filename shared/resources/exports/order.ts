/** What can be exported; `all` is everything, in one file. */
export const EXPORT_RESOURCES = ['invoices', 'customers', 'work_orders', 'inspections', 'all'] as const;
export type ExportResource = (typeof EXPORT_RESOURCES)[number];

/**
 * The tables that `all` holds, in the order of its files. Their parts are files of their own in
 * CSV: line items, the items of rate cards, the lists of inspections.
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
] as const;
export type ExportTable = (typeof ALL_TABLES)[number];

export const EXPORT_FORMATS = ['csv', 'json', 'ndjson', 'dump'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What invoices can bring along as files of their own. */
export const EXPORT_INCLUDES = ['line_items', 'payments'] as const;
export type ExportInclude = (typeof EXPORT_INCLUDES)[number];

/** As the queries of the lists: search, status, since, until, date_field, customer_id; each where the resource's list has it. */
export type ExportFilters = Readonly<Record<string, string>>;

/** What is asked for: all that decides the bytes, beside the data. */
export interface ExportOrder {
  tenantId: string;
  resource: ExportResource;
  format: ExportFormat;
  filters: ExportFilters;
  /** Only with invoices as CSV, JSON or NDJSON; `all` has them in any case. */
  include: readonly ExportInclude[];
  /** Of an export that is one file; a zip and a dump are always compressed. */
  compression: 'gzip' | 'none';
  /** CSV: a byte order mark at the beginning, which Excel wants to see. */
  bom: boolean;
  /** CSV: beside each column of cents one of the amount with a decimal point (`total_cents`, `total`). */
  decimals: boolean;
  /** IANA name; what a plain date in `since` and `until` means. */
  timeZone: string;
}

/** One file in an export. */
export interface ExportFile {
  /** `invoices.csv` */
  name: string;
  rows: number;
  /** Uncompressed. */
  bytes: number;
  /** Of its uncompressed bytes, hexadecimal. */
  sha256: string;
  /** Sums of the columns of cents by name, as the snapshot has them. */
  sums: Readonly<Record<string, number>>;
}

/** What was written. */
export interface ExportSummary {
  rows: number;
  files: readonly ExportFile[];
}
