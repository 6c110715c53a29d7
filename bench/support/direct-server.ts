import { createHash, randomUUID } from 'node:crypto';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';
import { lineItemFields } from '../../shared/billing/line-item-fields.js';
import { priceInvoice } from '../../shared/billing/money.js';
import type { InvoiceCreate } from '../../shared/contracts/generated.js';
import { validate } from '../../shared/contracts/schemas/validate.js';
import { newId } from '../../shared/platform/ids.js';
import { recordsetSql } from '../../shared/records/record-refs.js';
import { invoiceCreate } from '../../shared/resources/invoices/schema.js';

// The second baseline of writes: what a server without a queue needs for the same durable effects.
// It looks up the key, validates with the product's code and computes prices. One query per request
// stores the invoice, its line items, its event, its audit entry and its response under the
// Idempotency-Key. The server omits row-level security, limits and the look-up of webhook
// endpoints. It writes the product's own tables, with their indexes and triggers.
const [, , port = '0', superuserUrl = ''] = process.argv;
const pool = new pg.Pool({ connectionString: superuserUrl, max: 10 });
const app = new Koa();
app.use(koaBody());

interface Caller {
  tenant_id: string;
  key_id: string;
  name: string;
  tax_rate_bps: number;
}

/** Like the product, the server looks up a key once and then keeps it in memory. */
const callers = new Map<string, Promise<Caller | undefined>>();

function findCaller(authorization: string): Promise<Caller | undefined> {
  const hash = createHash('sha256').update(authorization.slice('Bearer '.length)).digest();
  const known = callers.get(hash.toString('hex'));
  if (known) return known;
  const found = pool
    .query<Caller>({
      text: `select k.tenant_id, k.id as key_id, k.name, t.tax_rate_bps from api_keys k join tenants t using (tenant_id)
             where k.key_hash = $1`,
      values: [hash],
    })
    .then(({ rows: [caller] }) => caller);
  callers.set(hash.toString('hex'), found);
  return found;
}

const LINE_COLUMNS = lineItemFields.settableNames;

const INSERT = `
  with invoice as (
    insert into invoices (tenant_id, id, invoice_number, billing_email, notes, tax_rate_bps, subtotal_cents, tax_cents, total_cents,
      trusted_billing_email, created_at, updated_at)
    values ($2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($5, ''), $11, $11)
    returning tenant_id, id
  ), lines as (
    insert into invoice_line_items (tenant_id, invoice_id, position, id, ${LINE_COLUMNS.join(', ')})
    select invoice.tenant_id, invoice.id, r.position, r.id, ${LINE_COLUMNS.map((name) => `r.${name}`).join(', ')}
    from invoice, ${recordsetSql(`position integer, id uuid, ${lineItemFields.settable}`)}
  ), event as (
    insert into events (tenant_id, id, type, occurred_at, body) select tenant_id, $12, 'invoice.created', $11, $13 from invoice
  ), audit as (
    insert into audit_entries (tenant_id, id, actor_type, actor_id, actor_name, action, entity_type, entity_id, outcome, source, changes,
      response_status, request_id, idempotency_key, ip)
    select tenant_id, $14, 'api_key', $15, $16, 'invoice.created', 'invoice', id, 'ok', 'rest', $17, 201, $18, $19, $20 from invoice
  )
  insert into idempotency_keys (tenant_id, key, command_id, method, path, body_hash, status, location, body)
  select tenant_id, $19, $14, 'POST', '/invoices', $21, 201, '/v1/invoices/' || id, $22 from invoice`;

app.use(async (ctx) => {
  if (ctx.method !== 'POST') {
    ctx.body = 'ready';
    return;
  }
  const caller = await findCaller(ctx.get('Authorization'));
  if (!caller) return ctx.throw(401);
  const input = validate<InvoiceCreate>(invoiceCreate, ctx.request.body);
  const body = await insertInvoice(caller, input, {
    key: ctx.get('Idempotency-Key'),
    ip: ctx.ip,
  });
  ctx.status = 201;
  ctx.set('Location', `/v1/invoices/${body.id}`);
  ctx.type = 'application/json';
  ctx.body = body.text;
});

async function insertInvoice(
  caller: Caller,
  input: InvoiceCreate,
  { key, ip }: { key: string; ip: string },
): Promise<{ id: string; text: string }> {
  const { tenant_id, key_id, name, tax_rate_bps } = caller;
  const [id, commandId, eventId] = [newId(), newId(), newId()];
  const price = priceInvoice(input.line_items ?? [], tax_rate_bps);
  const lines = (input.line_items ?? []).map((line, index) => ({
    ...line,
    id: newId(),
    position: index + 1,
    total_cents: price.lineTotals[index],
  }));
  const at = new Date().toISOString();
  const text = JSON.stringify({
    id,
    invoice_number: input.invoice_number,
    status: 'draft',
    customer_id: null,
    billing_email: input.billing_email ?? null,
    po_number: null,
    due_date: null,
    service_date: null,
    subtotal_cents: price.subtotalCents,
    tax_cents: price.taxCents,
    total_cents: price.totalCents,
    paid_cents: 0,
    balance_due_cents: price.totalCents,
    work_order_id: null,
    vehicle_description: null,
    notes: input.notes ?? null,
    sent_at: null,
    delivery: null,
    allowed_actions: ['approve', 'cancel'],
    effective_due_date: null,
    created_at: at,
    updated_at: at,
    line_items: lines,
  });
  const event = `{"id":"${eventId}","type":"invoice.created","api_version":"v1","timestamp":"${at}","tenant_id":"${tenant_id}","data":{"object":${text}}}`;
  const changes = JSON.stringify(
    Object.entries(input).map(([field, to]) => ({
      field,
      from: null,
      to: Array.isArray(to) ? to.length : to,
    })),
  );
  await pool.query({
    name: 'insert',
    text: INSERT,
    values: [
      JSON.stringify(lines),
      tenant_id,
      id,
      input.invoice_number,
      input.billing_email,
      input.notes,
      tax_rate_bps,
      price.subtotalCents,
      price.taxCents,
      price.totalCents,
      at,
      eventId,
      event,
      commandId,
      key_id,
      name,
      changes,
      randomUUID(),
      key,
      ip,
      createHash('sha256').update(JSON.stringify(input)).digest('hex'),
      text,
    ],
  });
  return { id, text };
}

app.listen(Number(port), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
