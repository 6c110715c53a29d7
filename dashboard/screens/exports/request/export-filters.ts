import type { Schemas } from '../../../api/records';
import {
  INSPECTION_KIND,
  INSPECTION_RESULT,
  INVOICE_STATUS,
  PUBLISHED_SERVICE_TYPE,
  WORK_ORDER_STATUS,
} from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { humanize } from '../../../parts/record/status-badge';
import { formatDate, shiftDay } from '../../../parts/values/zoned-time';
import type { ExportResource } from './export-wording';

export type ExportFilters = NonNullable<Schemas['ExportCreate']['filters']>;
export type FilterName = keyof ExportFilters;

/** A filter of an export. `since`, `until` and `date_field` have separate fields. */
export type ExportFilter = { name: FilterName; label: string } & (
  | { kind: 'text' | 'customer' | 'truck' | 'driver' | 'yes_no' }
  | { kind: 'choice'; options: readonly string[] }
);

const SEARCH: ExportFilter = { name: 'search', label: 'Search', kind: 'text' };
const CUSTOMER: ExportFilter = { name: 'customer_id', label: 'Customer', kind: 'customer' };

/** The filters of each resource. They are the same as in the resource's list. */
export const EXPORT_FILTERS: Record<ExportResource, readonly ExportFilter[]> = {
  invoices: [
    { name: 'status', label: 'Status', kind: 'choice', options: wordsOf(INVOICE_STATUS) },
    CUSTOMER,
    SEARCH,
  ],
  customers: [
    { name: 'is_active', label: 'Active', kind: 'yes_no' },
    { name: 'company_type', label: 'Type', kind: 'text' },
    SEARCH,
  ],
  work_orders: [
    {
      name: 'status',
      label: 'Status',
      kind: 'choice',
      options: ['new', ...wordsOf(WORK_ORDER_STATUS)],
    },
    { name: 'service_type', label: 'Service', kind: 'choice', options: PUBLISHED_SERVICE_TYPE },
    CUSTOMER,
    SEARCH,
  ],
  inspections: [
    {
      name: 'kind',
      label: 'Kind',
      kind: 'choice',
      options: wordsOf(INSPECTION_KIND),
    },
    {
      name: 'result',
      label: 'Result',
      kind: 'choice',
      options: wordsOf(INSPECTION_RESULT),
    },
    { name: 'truck_id', label: 'Truck', kind: 'truck' },
    { name: 'driver_id', label: 'Driver', kind: 'driver' },
    { name: 'work_order_id', label: 'Work order id', kind: 'text' },
  ],
  all: [],
};

/**
 * The dates that the range of each resource may compare. The first is the default. A resource
 * without an entry has no range.
 */
const DATE_FIELDS: Partial<Record<ExportResource, readonly string[]>> = {
  invoices: ['created_at', 'updated_at', 'service_date', 'due_date', 'paid_at'],
  work_orders: ['created_at', 'updated_at', 'dispatch_time', 'completion_time'],
  inspections: [],
};

/** True if the rows can be limited to a range of dates. */
export function hasRange(resource: ExportResource): boolean {
  return DATE_FIELDS[resource] !== undefined;
}

export function dateFieldsOf(resource: ExportResource): readonly string[] {
  return DATE_FIELDS[resource] ?? [];
}

/** Returns the first day of a range in the format of a date field: "2026-11-21". */
export function toFirstDay(since: string | undefined, timeZone: string): string {
  return since === undefined ? '' : toDay(since, 0, timeZone);
}

/**
 * Returns the last day of a range. `until` is either the date after this day, or the instant at
 * which this day ends.
 */
export function toLastDay(until: string | undefined, timeZone: string): string {
  return until === undefined ? '' : toDay(until, -1, timeZone);
}

/** Returns the value of `until` for a range that ends with this day. */
export function endAfter(day: string): string {
  return shiftDay(day, 1);
}

/**
 * Converts a text to a day in the account's time zone. A plain date moves by `days` days. Any other
 * text is an instant, which moves by `days` ms. So with -1, midnight counts as the end of the day
 * before.
 */
function toDay(text: string, days: number, timeZone: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return shiftDay(text, days);
  return new Date(Date.parse(text) + days).toLocaleDateString('en-CA', { timeZone });
}

/** Describes a range of days: "Nov 1, 2026 – Nov 30, 2026". Returns undefined without a range. */
export function describeRange({ since, until }: ExportFilters, timeZone: string): string | undefined {
  if (since === undefined && until === undefined) return undefined;
  const show = (day: string) => formatDate(`${day}T12:00Z`, 'UTC');
  const first = since === undefined ? undefined : show(toFirstDay(since, timeZone));
  const last = until === undefined ? undefined : show(toLastDay(until, timeZone));
  if (first && last) return `${first} – ${last}`;
  return first ? `Since ${first}` : `Until ${last}`;
}

/**
 * Returns the name of a date field for people: "Created" for `created_at`, "Paid" for `paid_at`.
 */
export function nameDateField(name: string): string {
  return humanize(name.replace(/_at$/, ''));
}
