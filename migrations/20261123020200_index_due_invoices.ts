import type { Knex } from 'knex';

/**
 * Runs without a transaction, because the indexes are built concurrently. Each account is updated
 * in its own transaction.
 */
export const config = { transaction: false };

const SWEPT = `status in ('sending', 'sent_to_roadsync', 'viewed', 'partially_paid') and not (status = 'sent_to_roadsync' and is_with_club)`;

/**
 * Each open invoice is in exactly one of these indexes. The index depends on the source of the due
 * date: the invoice itself, its customer's own terms, or its account's terms.
 */
const INDEXES: Readonly<Record<string, string>> = {
  invoices_due_by_date: `invoices (tenant_id, due_date) where ${SWEPT} and due_date is not null`,
  invoices_due_by_own_terms: `invoices (tenant_id, own_terms_due_at) where ${SWEPT} and due_date is null and own_terms_due_at is not null`,
  invoices_due_by_account_terms: `invoices (tenant_id, released_at) where ${SWEPT} and due_date is null and own_terms_due_at is null`,
};

export async function up(knex: Knex): Promise<void> {
  for (const tenantId of await tenantIds(knex)) await fill(knex, tenantId);
  for (const [name, definition] of Object.entries(INDEXES)) {
    await knex.raw(`drop index concurrently if exists ${name}`);
    await knex.raw(`create index concurrently ${name} on ${definition}`);
  }
  // Processes of the previous release may still run. Their sweep can use the index invoices_status
  // instead of invoices_due.
  await knex.raw('drop index concurrently if exists invoices_due');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`create index invoices_due on invoices (tenant_id, status)
                  where status in ('sending', 'sent_to_roadsync', 'viewed', 'partially_paid')`);
  await knex.raw(`drop index ${Object.keys(INDEXES).join(', ')}`);
}

async function tenantIds(knex: Knex): Promise<string[]> {
  return knex.transaction(async (trx) => {
    await trx.raw("select set_config('app.purpose', 'directory', true)");
    const { rows } = await trx.raw<{ rows: { tenant_id: string }[] }>('select tenant_id from tenants');
    return rows.map((row) => row.tenant_id);
  });
}

/**
 * Marks invoices whose claim is with a motor club. Does not update the invoices of customers with
 * their own terms, because the clock does this in portions. Until then the sweep reads more rows
 * than necessary, but has the same result.
 */
async function fill(knex: Knex, tenantId: string): Promise<void> {
  await knex.transaction(async (trx) => {
    // Stop waiting for a lock before the application's sessions do, which wait 2 s. Writes that
    // wait behind this step then succeed.
    await trx.raw("set local lock_timeout = '1s'");
    await trx.raw("select set_config('app.tenant_ids', ?, true)", [tenantId]);
    await trx.raw(
      `update invoices i set is_with_club = true from claims m
       where m.tenant_id = ? and m.status in ('submitted', 'accepted')
         and i.tenant_id = m.tenant_id and i.id = m.invoice_id and not i.is_with_club`,
      [tenantId],
    );
    await trx.raw(
      `insert into terms_changes (tenant_id, customer_id)
       select c.tenant_id, c.id from customers c where c.tenant_id = ? and c.terms_days is not null
         and exists (select from invoices i where i.tenant_id = c.tenant_id and i.customer_id = c.id
                       and i.status in ('sending', 'sent_to_roadsync', 'viewed', 'partially_paid'))
       on conflict do nothing`,
      [tenantId],
    );
  });
}
