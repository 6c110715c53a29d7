import type { Listed } from '../../../shared/resources/exports/conditions.js';
import type { ExportOrder } from '../../../shared/resources/exports/order.js';
import type { Column } from './cells.js';
import {
  customerColumns,
  INSPECTION_LISTS,
  inspectionColumns,
  invoiceColumns,
  lineItemColumns,
  paymentColumns,
  workOrderColumns,
} from './columns.js';

/** What one file is read from. Its conditions are about `t`, the table of its list. */
export interface Source {
  /** Name of the file without its ending. */
  name: string;
  /** Whose conditions say which rows. */
  list: Listed;
  /** With `t` in it. */
  from: string;
  /** What `columns` need, with the alias below. */
  select: string;
  alias: string;
  orderBy: string;
  columns: Column[];
  /** Its name among the resources; none: it is a part of another's JSON. */
  entity?: string;
}

/** Rows of a table as its list has them, from the oldest to the newest. */
function tableSource(list: Listed, entity: string, columns: (alias: string) => Column[]): Source {
  return {
    name: list,
    list,
    entity,
    from: `${list} t`,
    select: 't.*',
    alias: 't',
    orderBy: 't.created_at, t.id',
    columns: columns('t'),
  };
}

/** Line items of the invoices that the conditions mean, in the order of those. */
const LINE_ITEMS: Source = {
  name: 'invoice_line_items',
  list: 'invoices',
  from: 'invoices t join invoice_line_items l on l.tenant_id = t.tenant_id and l.invoice_id = t.id',
  select: 'l.*',
  alias: 'l',
  orderBy: 't.created_at, t.id, l.position',
  columns: lineItemColumns('l'),
};

/** Payments of the invoices that the conditions mean. */
const PAYMENTS: Source = {
  name: 'payments',
  list: 'invoices',
  entity: 'payment',
  from: 'payments p join invoices t on t.tenant_id = p.tenant_id and t.id = p.invoice_id',
  select: 'p.*',
  alias: 'p',
  orderBy: 'p.created_at, p.id',
  columns: paymentColumns('p'),
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

const TABLES_OF: Readonly<Record<Listed, Source>> = {
  invoices: tableSource('invoices', 'invoice', invoiceColumns),
  customers: tableSource('customers', 'customer', customerColumns),
  work_orders: tableSource('work_orders', 'work_order', workOrderColumns),
  inspections: tableSource('inspections', 'inspection', inspectionColumns),
};

const INCLUDES = { line_items: LINE_ITEMS, payments: PAYMENTS };

const EVERYTHING: readonly Source[] = [
  TABLES_OF.invoices,
  LINE_ITEMS,
  PAYMENTS,
  TABLES_OF.customers,
  TABLES_OF.work_orders,
  TABLES_OF.inspections,
  inspectionList('items'),
  inspectionList('defects'),
  inspectionList('photos'),
];

/**
 * The files that an order comes to, in their order. What has no representation of its own (line items, the lists of inspections) is a file in CSV only: JSON
 * has it inside of its invoice or inspection. Not for dumps.
 */
export function sourcesOf({
  resource,
  format,
  include,
}: Pick<ExportOrder, 'resource' | 'format' | 'include'>) {
  const sources =
    resource === 'all'
      ? EVERYTHING
      : [TABLES_OF[resource], ...(resource === 'invoices' ? include.map((name) => INCLUDES[name]) : [])];
  return format === 'csv' ? sources : sources.filter(({ entity }) => entity !== undefined);
}
