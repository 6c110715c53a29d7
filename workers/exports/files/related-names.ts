/** SQL that adds columns from related records to the rows of a file. */
export interface ExtraSql {
  join: string;
  select: string;
}

/** Each join finds the record whose id is stored in the table `t`. */
const NAME_JOINS = {
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
export type RelatedName = keyof typeof NAME_JOINS;

/** Builds SQL that adds names next to ids, for people who read the file. */
export function buildNameJoins(names: readonly RelatedName[]): ExtraSql {
  return {
    join: names.map((name) => NAME_JOINS[name].join).join(' '),
    select: names.map((name) => `${NAME_JOINS[name].sql} as ${name}`).join(', '),
  };
}
