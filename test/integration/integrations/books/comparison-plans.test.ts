import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import type { SqlQuery } from '../../../../shared/platform/postgres/database.js';
import {
  findComparedInvoices,
  listIssuedInvoices,
} from '../../../../shared/resources/books/reconciliation/our-invoices.js';
import { useOwnStack, useTenant } from '../../../support/use-stack.js';
import { explainRun, type RunNode } from '../../../support/writes/explain.js';

const WAITING = 3000;
const PAGE = 100;
const TABLES = ['outbound_operations', 'payments', 'invoices', 'external_ids', 'compared_book_invoices'];

/**
 * Inserts invoices with a payment each. The writes of all of them wait, and the comparison `$3` has
 * seen every third one.
 */
const INSERT = `with made as (
    insert into invoices (tenant_id, id, invoice_number, status, released_at, released_as, subtotal_cents, tax_cents, total_cents)
    select $1, gen_random_uuid(), 'N-' || n, 'overdue', now(), 'sending', 100, 0, 100 from generate_series(1, ${WAITING}) n
    returning id, substr(invoice_number, 3)::int as nr),
  paid as (
    insert into payments (tenant_id, id, invoice_id, amount_cents, applied_cents, method, received_at)
    select $1, gen_random_uuid(), made.id, 100, 100, 'check', now() from made returning id),
  linked as (
    insert into external_ids (tenant_id, connection_id, kind, local_id, external_id)
    select $1, $2, 'invoice', id, nr::text from made where mod(nr, 2) = 0),
  seen as (
    insert into compared_book_invoices (tenant_id, connection_id, external_id, reconciliation_id, invoice_id)
    select $1, $2, nr::text, $3, id from made where mod(nr, 3) = 0)
  insert into outbound_operations (tenant_id, id, connection_id, kind, local_id, verb, operation_key)
  select $1, gen_random_uuid(), $2, kind, id, 'put', gen_random_uuid()
  from (select 'invoice' as kind, id from made union all select 'booked_payment', id from paid) r`;

describe('while thousands of writes wait, a page of a comparison of months', () => {
  const stack = useOwnStack();
  const tenant = useTenant(stack);
  const connectionId = newId();
  // A comparison that begins after these writes.
  const startedAt = new Date(Date.now() + 60_000).toISOString();
  const comparison = { id: newId(), startedAt, from: '2020-01-01', until: '2100-01-01' };

  before(async () => {
    await stack.rows(tenant.id, INSERT, [tenant.id, connectionId, comparison.id]);
    await stack.runAsOwner(`analyze ${TABLES.join(', ')}`);
  });

  /** Runs the query that `find` sends, and returns the most rows that one of its scans has read. */
  const countMostRead = async (find: (tx: never, books: never) => Promise<unknown>): Promise<number> => {
    const sent: SqlQuery[] = [];
    const query = async (sqlQuery: SqlQuery) => {
      sent.push(sqlQuery);
      return [];
    };
    await find({ query } as never, { tenantId: tenant.id, connectionId, earlierIds: [] } as never);
    const [{ text, values = [] } = { text: '' }] = sent;
    const literals = values.map((value) => (Array.isArray(value) ? `{${value.join(',')}}` : value));
    const nodes = await explainRun(stack.runtime.db, tenant.id, { text, values: literals });
    const scans = nodes.filter((node) => TABLES.includes(node['Relation Name'] ?? ''));
    expect(scans.map((node) => node['Relation Name'])).to.include.members(TABLES);
    return Math.max(...scans.map(countRows));
  };
  const countRows = ({
    'Actual Rows': rows,
    'Actual Loops': loops,
    'Rows Removed by Filter': removed = 0,
  }: RunNode) => (rows + removed) * loops;

  it('of the books reads only the invoices and writes of the page', async () => {
    const records = Array.from({ length: PAGE }, (_, nth) => ({
      externalId: String(nth + 1),
      invoiceId: null,
      number: `N-${nth + 1}`,
    }));
    const read = await countMostRead((tx, books) => findComparedInvoices(tx, books, { records, comparison }));
    expect(read).to.be.at.most(2 * PAGE);
  });

  it('of ours reads only the invoices and writes of the page', async () => {
    const [middle] = await stack.rows<{ id: string }>(
      tenant.id,
      `select id from invoices where tenant_id = $1 order by id offset ${WAITING / 2} limit 1`,
      [tenant.id],
    );
    for (const after of [null, middle?.id ?? '']) {
      const place = { comparison, after, limit: PAGE };
      const read = await countMostRead((tx, books) => listIssuedInvoices(tx, books, place));
      expect(read, `after ${after}`).to.be.at.most(2 * PAGE);
    }
  });
});
