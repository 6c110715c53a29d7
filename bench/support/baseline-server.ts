import { randomUUID } from 'node:crypto';
import knexFactory from 'knex';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';

interface BareInvoice {
  invoice_number: string;
  billing_email: string;
  notes: string;
  line_items: { total_cents: number }[];
}

// The baseline for reads and writes: the simplest server for these requests, with Koa and a
// connection pool. It has no authentication, limits, validation, isolation, audit or events.
const [, , kind = 'pg', port = '0', databaseUrl = ''] = process.argv;
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 10 } });
const app = new Koa();
app.use(koaBody());
const LIST_COLUMNS =
  `id invoice_number status customer_id billing_email po_number due_date service_date subtotal_cents tax_cents total_cents paid_cents
  balance_due_cents work_order_id vehicle_description notes sent_at delivery allowed_actions created_at updated_at`.split(
    /\s+/,
  );
const TENANT = '00000000-0000-4000-8000-000000000001';

app.use(async (ctx) => {
  const id = ctx.path.split('/')[2];
  if (ctx.method === 'POST') {
    const { invoice_number, billing_email, notes, line_items } = ctx.request.body as unknown as BareInvoice;
    const { rows } = await pool.query({
      name: 'insert',
      text: `insert into bench.bare_invoices (id, tenant_id, invoice_number, billing_email, notes, line_items, total_cents)
             values ($1, $2, $3, $4, $5, $6, $7) returning *`,
      values: [
        randomUUID(),
        TENANT,
        invoice_number,
        billing_email,
        notes,
        JSON.stringify(line_items),
        line_items[0]?.total_cents,
      ],
    });
    ctx.status = 201;
    ctx.body = rows[0];
  } else if (id && kind === 'pg') {
    const { rows } = await pool.query({
      name: 'get',
      text: `select ${LIST_COLUMNS.join(', ')}, line_items from bench.bare_invoices where id = $1`,
      values: [id],
    });
    ctx.body = rows[0];
  } else {
    const rows = await knex('bench.bare_invoices')
      .select(LIST_COLUMNS)
      .where({ tenant_id: TENANT })
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(50);
    ctx.body = { ok: true, data: { items: rows, cursor: null, count: rows.length } };
  }
});
app.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
