import { expect } from 'chai';

import { MAX_LIST_BYTES } from '../../../mcp/text/result-size.js';
import { newId } from '../../../shared/platform/ids.js';
import { MAX_PAGE_BYTES } from '../../../shared/records/lists/page-query.js';
import { connectAgent, type TestAgent } from '../../support/agents/agent.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const INVOICES = 24;
const AUDIT_ENTRIES = 24;
const WORK_ORDERS = 90;
/**
 * The highest number of bytes that a page may have besides its items: the envelope, the commas and
 * the cursor.
 */
const MAX_FRAME_BYTES = 1024;

interface Item {
  id: string;
}

interface WalkedPages {
  ids: string[];
  bytes: number[];
}

describe('the byte limit of list pages', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let agent: TestAgent;
  const actor = newId();

  before(async () => {
    agent = await connectAgent(stack, tenant);
    const line = lineItem({ description: 'd'.repeat(2000) });
    for (let nth = 0; nth < INVOICES; nth += 1) {
      const input = invoiceInput({ line_items: Array(200).fill(line) });
      expect((await tenant.client.post('/invoices', input)).status).to.equal(201);
    }
    const workOrder = { service_type: 'tow', notes: 'n'.repeat(5000) };
    await Promise.all(
      Array.from({ length: WORK_ORDERS }, () => tenant.client.post('/work-orders', workOrder)),
    );
    // Insert audit entries whose changes contain all line items, as earlier releases wrote them.
    await stack.rows(
      tenant.id,
      `insert into audit_entries (tenant_id, id, actor_type, actor_id, action, entity_type, outcome, source, changes)
       select $1, overlay(gen_random_uuid()::text placing lpad(to_hex(n), 8, '0') from 1)::uuid, 'system', $2, 'test.filled', 'invoice', 'ok', 'job',
         jsonb_build_array(jsonb_build_object('field', 'line_items', 'from', null, 'to', repeat('x', 400000)))
       from generate_series(1, ${AUDIT_ENTRIES}) n`,
      [tenant.id, actor],
    );
  });
  after(async () => {
    await agent.client.close();
  });

  async function readAllPages(path: string, start?: string): Promise<WalkedPages> {
    const walked: WalkedPages = { ids: [], bytes: [] };
    let cursor: string | null = start ?? null;
    do {
      const { text, body } = await tenant.client.get(cursor ? `${path}&cursor=${cursor}` : path);
      expect(body.data.count).to.equal(body.data.items.length).and.to.be.above(0);
      walked.ids.push(...body.data.items.map(({ id }: Item) => id));
      walked.bytes.push(Buffer.byteLength(text));
      cursor = body.data.cursor;
    } while (cursor);
    return walked;
  }

  const listIdsInTable = async (table: string, where = 'true', order = 'created_at desc, id desc') =>
    (
      await stack.rows<Item>(
        tenant.id,
        `select id from ${table} where tenant_id = $1 and ${where} order by ${order}`,
        [tenant.id],
      )
    ).map(({ id }) => id);

  const lists: [path: string, ids: () => Promise<string[]>][] = [
    ['/invoices?limit=200&expand=line_items', () => listIdsInTable('invoices')],
    ['/invoices?limit=7&expand=line_items', () => listIdsInTable('invoices')],
    [
      '/events?limit=200&type=invoice.created',
      () => listIdsInTable('events', "type = 'invoice.created'", 'id desc'),
    ],
    [
      '/audit-log?limit=100&action=test.filled',
      () => listIdsInTable('audit_entries', "action = 'test.filled'", 'id desc'),
    ],
  ];
  for (const [path, expectedIds] of lists) {
    it(`GET ${path} limits each page to ${MAX_PAGE_BYTES} bytes, and its cursors neither repeat nor lose a record`, async () => {
      const { ids, bytes } = await readAllPages(path);
      expect(ids).to.deep.equal(await expectedIds());
      expect(Math.max(...bytes)).to.be.at.most(MAX_PAGE_BYTES + MAX_FRAME_BYTES);
      expect(bytes.length).to.be.above(1);
    });
  }

  it('GET /invoices with expand=line_items fills a page of small invoices up to limit', async () => {
    const other = await stack.createTenant('Small invoices');
    await Promise.all(Array.from({ length: 120 }, () => other.client.post('/invoices', invoiceInput())));
    const read = async (path: string) => (await other.client.get(path)).body.data;
    const all = (await read('/invoices?limit=200')).items.map(({ id }: Item) => id);
    for (const [limit, isLast] of [
      [200, true],
      [120, true],
      [110, false],
      [100, false],
      [50, false],
    ] as const) {
      const page = await read(`/invoices?limit=${limit}&expand=line_items`);
      expect(page.items.map(({ id }: Item) => id)).to.deep.equal(all.slice(0, limit));
      expect(page.cursor === null, `limit ${limit}`).to.equal(isLast);
    }
  });

  it('GET /invoices continues after a page of large invoices although an invoice is created meanwhile', async () => {
    const path = '/invoices?limit=200&expand=line_items';
    const first = (await tenant.client.get(path)).body.data;
    const before = await listIdsInTable('invoices');
    await tenant.client.post('/invoices', invoiceInput());
    const rest = await readAllPages(path, first.cursor);
    expect([...first.items.map(({ id }: Item) => id), ...rest.ids]).to.deep.equal(before);
  });

  it('list_work_orders returns work orders with long notes on one page, because its items omit notes', async () => {
    const page = await agent.callOk('list_work_orders', { limit: 200 });
    expect(page.items.map(({ id }: Item) => id)).to.deep.equal(await listIdsInTable('work_orders'));
    expect(page.cursor).to.equal(null);
    expect(Buffer.byteLength(JSON.stringify(page.items))).to.be.below(MAX_LIST_BYTES);
  });

  it('search_audit_log returns a single entry if that entry alone exceeds the byte limit', async () => {
    const input = { limit: 10, actor };
    const first = await agent.callOk('search_audit_log', input);
    expect(first.items).to.have.length(1);
    const second = await agent.callOk('search_audit_log', { ...input, cursor: first.cursor });
    expect(second.items).to.have.length(1);
    expect(second.items[0].id).to.not.equal(first.items[0].id);
  });
});
