import type { Listed } from '../../../shared/resources/exports/conditions.js';
import { ALL_TABLES, type ExportOrder, type ExportTable } from '../../../shared/resources/exports/order.js';
import { messageListRepresentation } from '../../../shared/resources/messages/representation.js';
import { refundRepresentation } from '../../../shared/resources/payments/representation.js';
import { resourceTable } from '../../../shared/resources/tables.js';
import type { Column } from './cells.js';
import {
  customerColumns,
  INSPECTION_LISTS,
  inspectionColumns,
  invoiceColumns,
  lineItemColumns,
  paymentColumns,
  rateCardItemColumns,
  refundColumns,
  workOrderColumns,
} from './columns.js';
import { type Beside, type Name, namesBeside } from './known-names.js';
import { RECORD_COLUMNS, type RecordTable, recordColumns } from './record-columns.js';

/** What one file is read from. */
export interface Source {
  /** Name of the file without its ending. */
  name: string;
  /**
   * Whose filters say which rows; their conditions are about `t`, the list's table. None: all rows
   * of the tenant.
   */
  list?: Listed;
  /** With `t` in it. */
  from: string;
  /** What `columns` and `json` need, with the alias below. */
  select: string;
  /**
   * What only `columns` need beside it: the names that ids stand for, so that a person can read the
   * file.
   */
  beside?: Beside;
  alias: string;
  orderBy: string;
  columns: Column[];
  /** A row as JSON; none: it is a part of another's JSON. */
  json?: (alias: string) => string;
}

const OLDEST_FIRST = 't.created_at, t.id';

/** Rows of a table as its list has them, from the oldest to the newest. */
function tableSource(
  list: Listed,
  entity: string,
  { columns, names = [] }: { columns: (alias: string) => Column[]; names?: readonly Name[] },
): Source {
  return {
    name: list,
    list,
    json: resourceTable(entity).representation,
    from: `${list} t`,
    select: 't.*',
    ...(names.length > 0 ? { beside: namesBeside(names) } : {}),
    alias: 't',
    orderBy: OLDEST_FIRST,
    columns: columns('t'),
  };
}

/** Records of a table whose cells are the members of their JSON. */
function recordSource(name: RecordTable, json: (alias: string) => string): Source {
  const { names } = RECORD_COLUMNS[name];
  const beside = namesBeside(names);
  return {
    name,
    json,
    from: `${name} t`,
    select: 't.*',
    beside: { ...beside, select: [`${json('t')} as record`, beside.select].filter(Boolean).join(', ') },
    alias: 't',
    orderBy: OLDEST_FIRST,
    columns: recordColumns(name, 't'),
  };
}

/** Line items of the invoices that the conditions mean, in the order of those. */
const LINE_ITEMS: Source = {
  name: 'invoice_line_items',
  list: 'invoices',
  from: 'invoices t join invoice_line_items l on l.tenant_id = t.tenant_id and l.invoice_id = t.id',
  select: 'l.*, t.invoice_number',
  alias: 'l',
  orderBy: 't.created_at, t.id, l.position',
  columns: lineItemColumns('l'),
};

const CUSTOMER_NAME = namesBeside(['customer_name']);

/** Payments of the invoices that the conditions mean. */
const PAYMENTS: Source = {
  name: 'payments',
  list: 'invoices',
  json: resourceTable('payment').representation,
  from: 'payments p join invoices t on t.tenant_id = p.tenant_id and t.id = p.invoice_id',
  select: 'p.*, t.invoice_number',
  beside: CUSTOMER_NAME,
  alias: 'p',
  orderBy: 'p.created_at, p.id',
  columns: paymentColumns('p'),
};

/** Refunds of those payments, a row each. */
const REFUNDS: Source = {
  name: 'refunds',
  list: 'invoices',
  json: refundRepresentation,
  from: `refunds r join payments p on p.tenant_id = r.tenant_id and p.id = r.payment_id
    join invoices t on t.tenant_id = p.tenant_id and t.id = p.invoice_id`,
  select: 'r.*, p.invoice_id, t.invoice_number',
  beside: CUSTOMER_NAME,
  alias: 'r',
  orderBy: 'r.created_at, r.id',
  columns: refundColumns('r'),
};

function inspectionList(name: keyof typeof INSPECTION_LISTS): Source {
  return {
    name: `inspection_${name}`,
    list: 'inspections',
    from: `inspections t cross join lateral jsonb_array_elements(t.${name}) with ordinality e (value, position)`,
    select: 't.id as inspection_id, e.position, e.value',
    alias: 'e',
    orderBy: 't.created_at, t.id, e.position',
    columns: INSPECTION_LISTS[name]('e'),
  };
}

/** Prices, a row each: the file a person compares and edits. */
const RATE_CARD_ITEMS: Source = {
  name: 'rate_card_items',
  from: 'rate_cards t cross join lateral jsonb_array_elements(t.items) with ordinality e (value, position)',
  select:
    't.id as rate_card_id, t.name as rate_card_name, t.version as rate_card_version, e.position, e.value',
  alias: 'e',
  orderBy: 't.created_at, t.id, e.position',
  columns: rateCardItemColumns('e'),
};

const LISTED: Readonly<Record<Listed, Source>> = {
  invoices: tableSource('invoices', 'invoice', {
    columns: invoiceColumns,
    names: ['customer_name', 'job_number'],
  }),
  customers: tableSource('customers', 'customer', { columns: customerColumns }),
  work_orders: tableSource('work_orders', 'work_order', {
    columns: workOrderColumns,
    names: ['customer_name'],
  }),
  inspections: tableSource('inspections', 'inspection', {
    columns: inspectionColumns,
    names: ['job_number'],
  }),
};

const INCLUDES = { line_items: [LINE_ITEMS], payments: [PAYMENTS, REFUNDS] };

/** The files of each table: its own, then those of its parts. */
const FILES_OF: Readonly<Record<ExportTable, readonly Source[]>> = {
  invoices: [LISTED.invoices, LINE_ITEMS],
  payments: [PAYMENTS],
  refunds: [REFUNDS],
  customers: [LISTED.customers],
  work_orders: [LISTED.work_orders],
  inspections: [
    LISTED.inspections,
    inspectionList('items'),
    inspectionList('defects'),
    inspectionList('photos'),
  ],
  trucks: [recordSource('trucks', resourceTable('truck').representation)],
  drivers: [recordSource('drivers', resourceTable('driver').representation)],
  rate_cards: [recordSource('rate_cards', resourceTable('rate_card').representation), RATE_CARD_ITEMS],
  impounds: [recordSource('impounds', resourceTable('impound').representation)],
  claims: [recordSource('claims', resourceTable('claim').representation)],
  // As in their list: the texts hold links that open an invoice without a key.
  messages: [recordSource('messages', messageListRepresentation)],
};

const EVERYTHING: readonly Source[] = ALL_TABLES.flatMap((table) => FILES_OF[table]);

/**
 * The files that an order comes to, in their order. What has no representation of its own (line
 * items, the lists of inspections, the items of rate cards) is a file in CSV only: JSON has it
 * inside of its record. Not for dumps.
 */
export function sourcesOf({
  resource,
  format,
  include,
}: Pick<ExportOrder, 'resource' | 'format' | 'include'>) {
  const sources =
    resource === 'all'
      ? EVERYTHING
      : [LISTED[resource], ...(resource === 'invoices' ? include.flatMap((name) => INCLUDES[name]) : [])];
  return format === 'csv' ? sources : sources.filter(({ json }) => json !== undefined);
}
