import pg from 'pg';

async function runAsSuperuser<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const target = new URL(url);
  target.pathname = '/tow';
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  return work(client).finally(() => client.end());
}

/**
 * Inserts invoices whose creation times are one second apart. Uses SQL as the superuser, who
 * bypasses row-level security. Keeps a copy in `bench.fill_source`. Each invoice gets two line
 * items if there are at most a million invoices.
 */
export async function fillInvoices(superuserUrl: string, tenantId: string, rows: number): Promise<void> {
  await runAsSuperuser(superuserUrl, async (client) => {
    await client.query(`
      create schema if not exists bench;
      grant usage on schema bench to public;
      create unlogged table bench.fill_source as
      select gen_random_uuid() as id, 'F-' || i as invoice_number, 'billing' || (i % 1000) || '@example.com' as billing_email,
             'Towed from the shoulder of I-87 north' as notes, 15875::bigint as subtotal_cents, 1310::bigint as tax_cents,
             17185::bigint as total_cents, now() - make_interval(secs => ${rows} - i) as created_at,
             (array['draft', 'sending', 'viewed', 'paid', 'overdue'])[1 + i % 5] as status
      from generate_series(1, ${rows}) i;
      grant select on bench.fill_source to public;
      insert into invoices (tenant_id, id, invoice_number, status, billing_email, notes, subtotal_cents, tax_cents, total_cents, created_at, updated_at)
      select '${tenantId}', id, invoice_number, status, billing_email, notes, subtotal_cents, tax_cents, total_cents, created_at, created_at
      from bench.fill_source`);
    if (rows <= 1_000_000) {
      await client.query(`
        insert into invoice_line_items (tenant_id, invoice_id, position, id, name, category, quantity, unit_type, unit_price_cents, total_cents, taxable)
        select '${tenantId}', id, position, gen_random_uuid(), 'Light-duty tow', 'tow', 1, 'each', 12500, 12500, true
        from bench.fill_source, generate_series(1, 2) position`);
    }
    await client.query('analyze invoices; analyze invoice_line_items');
    await client.query('checkpoint');
  });
}

/**
 * Inserts invoices to search for, spread over three years. Invoice numbers begin with OLD- in the
 * older half and with INV- in the newer half. Every second invoice has a PO number.
 */
export async function fillSearchableInvoices(
  superuserUrl: string,
  tenantId: string,
  rows: number,
): Promise<void> {
  await runAsSuperuser(superuserUrl, async (client) => {
    // Drop the search index and build it after the insert, which is much faster than filling it row
    // by row.
    const { rows: indexes } = await client.query<{ definition: string }>(
      "select pg_get_indexdef('search_entries_keys'::regclass) as definition",
    );
    await client.query('drop index search_entries_keys');
    await client.query(
      `insert into invoices (tenant_id, id, invoice_number, po_number, notes, created_at)
       select $1, gen_random_uuid(), case when i > $2::int / 2 then 'INV-' else 'OLD-' end || lpad(i::text, 7, '0'),
         case when i % 2 = 0 then 'PO' || left(md5(i::text), 8) end, 'Towed from the shoulder of I-87 north',
         now() - ($2::int - i) * interval '3 years' / $2::int
       from generate_series(1, $2::int) i`,
      [tenantId, rows],
    );
    await client.query(indexes[0]?.definition as string);
    await client.query('vacuum analyze invoices');
    await client.query('vacuum analyze search_entries');
    await client.query('checkpoint');
  });
}

/**
 * Resolves with the ids of `count` filled invoices. Ids are random, so the smallest ids are spread
 * evenly over all invoices.
 */
export async function readIds(superuserUrl: string, count: number): Promise<string[]> {
  return runAsSuperuser(superuserUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      'select id from bench.fill_source order by id limit $1',
      [count],
    );
    return rows.map((row) => row.id);
  });
}

export async function analyzeTables(superuserUrl: string, tables: string[]): Promise<void> {
  await runAsSuperuser(superuserUrl, (client) => client.query(`analyze ${tables.join(', ')}`));
}
