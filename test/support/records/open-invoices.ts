import { newId } from '../../../shared/platform/ids.js';
import type { TestStack } from '../stack.js';

/** The counts of open invoices that {@link insertOpenInvoices} inserts. */
export interface OpenInvoices {
  /**
   * The number of invoices of each kind that become due in 20 days. There are three kinds. The due
   * date is the invoice's own, or follows from the customer's terms, or from the account's terms.
   */
  far: number;
  /** The number of invoices of each of these three kinds that became due 2 days ago. */
  due: number;
  /**
   * The number of invoices that became due 40 days ago and have a claim to which the motor club has
   * not responded.
   */
  withClub: number;
}

const INSERT = `insert into invoices (tenant_id, id, invoice_number, status, customer_id, due_date, released_at, released_as)
  select $1, gen_random_uuid(), gen_random_uuid()::text`;

/**
 * Inserts open invoices and their customers by SQL. The account's terms must be 30 days.
 * @returns the ids of the `due` invoices
 */
export async function insertOpenInvoices(
  stack: TestStack,
  tenantId: string,
  { far, due, withClub }: OpenInvoices,
): Promise<string[]> {
  const [own, none] = [newId(), newId()];
  return stack.runtime.db.transaction([tenantId], async (tx) => {
    await tx.query({
      text: `insert into customers (tenant_id, id, company_name, company_type, terms_days)
             values ($1, $2, 'Own terms', 'other', 60), ($1, $3, 'No terms', 'other', null)`,
      values: [tenantId, own, none],
    });
    const kinds = (daysLeft: number) => [
      `$2::uuid, now() + interval '${daysLeft} days', now() - interval '90 days'`,
      `$2::uuid, null, now() - interval '${60 - daysLeft} days'`,
      `$3::uuid, null, now() - interval '${30 - daysLeft} days'`,
    ];
    const insert = async (kind: string, count: number): Promise<string[]> => {
      const rows = await tx.query<{ id: string }>({
        text: `${INSERT}, 'sending', ${kind}, 'sending' from generate_series(1, $4::int), (select $2::uuid, $3::uuid) customers returning id`,
        values: [tenantId, own, none, count],
      });
      return rows.map(({ id }) => id);
    };
    for (const kind of kinds(20)) await insert(kind, far);
    const ids: string[] = [];
    for (const kind of kinds(-2)) ids.push(...(await insert(kind, due)));
    await tx.query({
      text: `with lying as (${INSERT}, 'sent_to_roadsync', $2::uuid, now() - interval '40 days', now(), 'sent_to_roadsync'
                            from generate_series(1, $3::int) returning id)
             insert into claims (tenant_id, id, invoice_id, club, status, submit_by, expected_cents)
             select $1, gen_random_uuid(), id, 'Club', 'submitted', now() + interval '1 year', 0 from lying`,
      values: [tenantId, own, withClub],
    });
    return ids;
  });
}
