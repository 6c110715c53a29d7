/**
 * SQL that reads something beside the rows of a file: joins, and what they add to the select list.
 */
export interface Beside {
  join: string;
  select: string;
}

/** What a record is known by where another one, `t`, carries its id. */
const NAMES = {
  customer_name: {
    join: 'left join customers c on c.tenant_id = t.tenant_id and c.id = t.customer_id',
    sql: 'c.company_name',
  },
  job_number: {
    join: 'left join work_orders w on w.tenant_id = t.tenant_id and w.id = t.work_order_id',
    sql: 'w.job_number',
  },
  invoice_number: {
    join: 'left join invoices i on i.tenant_id = t.tenant_id and i.id = t.invoice_id',
    sql: 'i.invoice_number',
  },
};
export type Name = keyof typeof NAMES;

/** Names beside ids, so that a person can read the file. */
export function namesBeside(names: readonly Name[]): Beside {
  return {
    join: names.map((name) => NAMES[name].join).join(' '),
    select: names.map((name) => `${NAMES[name].sql} as ${name}`).join(', '),
  };
}
