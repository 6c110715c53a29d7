import { lineItemFields } from '../../../shared/billing/line-item-fields.js';
import { jsonObject } from '../../../shared/contracts/resource.js';
import { type ExternalEntity, externalIdsMember } from '../../../shared/records/expansions/external-ids.js';
import type { RecordFields } from '../../../shared/records/fields/record-fields.js';
import { claimFields } from '../../../shared/resources/claims/fields.js';
import { syncRunFields } from '../../../shared/resources/connections/fields.js';
import { customerFields } from '../../../shared/resources/customers/fields.js';
import { driverFields } from '../../../shared/resources/drivers/fields.js';
import type { ListResource } from '../../../shared/resources/exports/request/conditions.js';
import {
  ALL_TABLES,
  type ExportRequest,
  type ExportTable,
} from '../../../shared/resources/exports/request/export-request.js';
import { impoundFields } from '../../../shared/resources/impounds/fields.js';
import { inspectionFields, inspectionLists } from '../../../shared/resources/inspections/fields.js';
import { invoiceFields } from '../../../shared/resources/invoices/fields.js';
import { messageListFields } from '../../../shared/resources/messages/fields.js';
import { paymentFields, refundFields } from '../../../shared/resources/payments/fields.js';
import { rateCardFields } from '../../../shared/resources/rate-cards/fields.js';
import { rateCardItemFields } from '../../../shared/resources/rate-cards/item-fields.js';
import { syncIssueFields } from '../../../shared/resources/sync-issues/fields.js';
import { truckFields } from '../../../shared/resources/trucks/fields.js';
import { workOrderFields } from '../../../shared/resources/work-orders/fields.js';
import { type CsvColumn, fieldColumns, plainColumn, textColumn } from './cells.js';
import { buildNameJoins, type ExtraSql, type RelatedName } from './related-names.js';

export interface FileSource {
  /** Name of the file without extension. */
  name: string;
  /**
   * The list whose filters select the rows. The filter conditions refer to the list's table as `t`.
   * If undefined, the file has all rows of the tenant.
   */
  list?: ListResource;
  /** The content of the FROM clause. One of its tables has the alias `t`. */
  from: string;
  /**
   * The select list of the inner query. `columns` and `json` refer to the inner query's rows by
   * `alias`.
   */
  select: string;
  /** Extra SQL for CSV files. It adds names next to ids, for people who read the file. */
  csvExtras?: ExtraSql;
  alias: string;
  orderBy: string;
  columns: CsvColumn[];
  /**
   * Builds SQL that renders a row as JSON. Undefined if another file's JSON contains these rows.
   */
  json?: (alias: string) => string;
}

const OLDEST_FIRST = 't.created_at, t.id';

/** Returns the record as the API shows it with `expand=external_ids`. */
const withExternalIds =
  ({ members }: RecordFields, entity: ExternalEntity) =>
  (alias: string) =>
    jsonObject(alias, [...members(alias), externalIdsMember(entity, alias)]);

interface SourceOptions {
  names?: readonly RelatedName[];
  list?: ListResource;
  /** Set if vendors may know the records. */
  entity?: ExternalEntity;
  orderBy?: string;
}

/**
 * Builds the source of a table with the fields of a resource. The file lists the oldest rows first.
 */
function fieldSource(
  table: string,
  fields: RecordFields,
  { names = [], list, entity, orderBy = OLDEST_FIRST }: SourceOptions = {},
): FileSource {
  return {
    name: table,
    ...(list && { list }),
    json: entity ? withExternalIds(fields, entity) : fields.representation,
    from: `${table} t`,
    select: 't.*',
    ...(names.length > 0 && { csvExtras: buildNameJoins(names) }),
    alias: 't',
    orderBy,
    columns: fieldColumns(fields, 't'),
  };
}

function listSource(list: ListResource, fields: RecordFields, options: SourceOptions): FileSource {
  return fieldSource(list, fields, { list, ...options });
}

/** The line items of the selected invoices, in the sequence of those invoices. */
const LINE_ITEMS: FileSource = {
  name: 'invoice_line_items',
  list: 'invoices',
  from: 'invoices t join invoice_line_items l on l.tenant_id = t.tenant_id and l.invoice_id = t.id',
  select: 'l.*, t.invoice_number',
  alias: 'l',
  orderBy: 't.created_at, t.id, l.position',
  columns: fieldColumns(lineItemFields, 'l'),
};

const CUSTOMER_NAME = buildNameJoins(['customer_name']);

const PAYMENTS: FileSource = {
  name: 'payments',
  list: 'invoices',
  json: withExternalIds(paymentFields, 'payment'),
  from: 'payments p join invoices t on t.tenant_id = p.tenant_id and t.id = p.invoice_id',
  select: 'p.*, t.invoice_number',
  csvExtras: CUSTOMER_NAME,
  alias: 'p',
  orderBy: 'p.created_at, p.id',
  columns: fieldColumns(paymentFields, 'p'),
};

/** One row for each refund of the selected invoices' payments. */
const REFUNDS: FileSource = {
  name: 'refunds',
  list: 'invoices',
  json: refundFields.representation,
  from: `refunds r join payments p on p.tenant_id = r.tenant_id and p.id = r.payment_id
    join invoices t on t.tenant_id = p.tenant_id and t.id = p.invoice_id`,
  select: 'r.*, t.invoice_number',
  csvExtras: CUSTOMER_NAME,
  alias: 'r',
  orderBy: 'r.created_at, r.id',
  columns: fieldColumns(refundFields, 'r'),
};

function inspectionListSource(name: keyof typeof inspectionLists): FileSource {
  return {
    name: `inspection_${name}`,
    list: 'inspections',
    from: `inspections t cross join lateral jsonb_array_elements(t.${name}) with ordinality e (value, position)`,
    select: 't.id as inspection_id, e.position, e.value',
    alias: 'e',
    orderBy: 't.created_at, t.id, e.position',
    columns: [
      plainColumn('e', 'inspection_id'),
      plainColumn('e', 'position'),
      ...fieldColumns(inspectionLists[name], 'e'),
    ],
  };
}

/** One row for each item of a rate card, because people compare and edit prices in this file. */
const RATE_CARD_ITEMS: FileSource = {
  name: 'rate_card_items',
  from: 'rate_cards t cross join lateral jsonb_array_elements(t.items) with ordinality e (value, position)',
  select:
    't.id as rate_card_id, t.name as rate_card_name, t.version as rate_card_version, e.position, e.value',
  alias: 'e',
  orderBy: 't.created_at, t.id, e.position',
  columns: [
    plainColumn('e', 'rate_card_id'),
    textColumn('e', 'rate_card_name'),
    plainColumn('e', 'rate_card_version'),
    plainColumn('e', 'position'),
    ...fieldColumns(rateCardItemFields, 'e'),
  ],
};

const LIST_SOURCES: Readonly<Record<ListResource, FileSource>> = {
  invoices: listSource('invoices', invoiceFields, {
    names: ['customer_name', 'job_number'],
    entity: 'invoice',
  }),
  customers: listSource('customers', customerFields, { entity: 'customer' }),
  work_orders: listSource('work_orders', workOrderFields, { names: ['customer_name'] }),
  inspections: listSource('inspections', inspectionFields, { names: ['job_number'] }),
};

const INCLUDE_SOURCES = { line_items: [LINE_ITEMS], payments: [PAYMENTS, REFUNDS] };

/** The files of each table: the table's own file first, then files for parts of its records. */
const TABLE_SOURCES: Readonly<Record<ExportTable, readonly FileSource[]>> = {
  invoices: [LIST_SOURCES.invoices, LINE_ITEMS],
  payments: [PAYMENTS],
  refunds: [REFUNDS],
  customers: [LIST_SOURCES.customers],
  work_orders: [LIST_SOURCES.work_orders],
  inspections: [
    LIST_SOURCES.inspections,
    inspectionListSource('items'),
    inspectionListSource('defects'),
    inspectionListSource('photos'),
  ],
  trucks: [fieldSource('trucks', truckFields)],
  drivers: [fieldSource('drivers', driverFields)],
  rate_cards: [fieldSource('rate_cards', rateCardFields), RATE_CARD_ITEMS],
  impounds: [fieldSource('impounds', impoundFields, { names: ['job_number', 'customer_name'] })],
  claims: [fieldSource('claims', claimFields, { names: ['invoice_number'] })],
  // The text of a message is left out, because it contains a link that opens an invoice without a
  // key.
  messages: [fieldSource('messages', messageListFields, { names: ['invoice_number', 'job_number'] })],
  sync_issues: [fieldSource('sync_issues', syncIssueFields)],
  sync_runs: [fieldSource('sync_runs', syncRunFields, { orderBy: 't.started_at, t.id' })],
};

const ALL_SOURCES: readonly FileSource[] = ALL_TABLES.flatMap((table) => TABLE_SOURCES[table]);

/**
 * Lists the files of an export in sequence. Only CSV has separate files for the lists that a record
 * contains, such as the line items of an invoice. Must not be called for dumps.
 */
export function listFileSources({
  resource,
  format,
  include,
}: Pick<ExportRequest, 'resource' | 'format' | 'include'>) {
  const sources =
    resource === 'all'
      ? ALL_SOURCES
      : [
          LIST_SOURCES[resource],
          ...(resource === 'invoices' ? include.flatMap((name) => INCLUDE_SOURCES[name]) : []),
        ];
  return format === 'csv' ? sources : sources.filter(({ json }) => json !== undefined);
}
