import { expect } from 'chai';
import { extractText, getDocumentProxy } from 'unpdf';
import { newId } from '../../../shared/platform/ids.js';
import { deriveLinkKey, sealLink } from '../../../shared/resources/planned-messages/link.js';
import { TestClient } from '../../support/client.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { PROXIED_STACK, useStack, useTenant } from '../../support/use-stack.js';

const ATTACK = `<img src=x onerror=alert(1)>"'&`;

describe('invoice page', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const open = (path: string, init: RequestInit = {}) => fetch(`${stack.origin}${path}`, init);
  const getInvoice = async (id: string, client = tenant.client) => (await client.get(`/invoices/${id}`)).body;

  async function sendInvoice(overrides: Record<string, unknown> = {}, client = tenant.client) {
    const id = await createInvoiceAfter(client, ['approve'], overrides);
    const { body } = await client.post(`/invoices/${id}/send`, {});
    return { id, path: new URL(body.view_url).pathname };
  }

  it('the invoice page shows the invoice and its PDF to anyone with the link and forbids caching', async () => {
    const { id, path } = await sendInvoice({ po_number: 'PO-9' });
    expect(path).to.match(/^\/i\/[\w-]{80}$/);
    const response = await open(path);
    expect(response.status).to.equal(200);
    const html = await response.text();
    const invoice = await getInvoice(id);
    for (const text of ['Hudson Towing', invoice.invoice_number, 'PO-9', 'Tow', '$100.00', 'Balance due'])
      expect(html).to.include(text);
    expect(html).to.not.match(/<script/i);
    expect(html).to.not.include(tenant.id).and.to.not.include(id);
    const headers = Object.fromEntries(response.headers);
    expect(headers['content-security-policy']).to.match(/default-src 'none'/);
    expect(headers['content-security-policy']).to.not.include('unsafe');
    expect(headers).to.include({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    expect(headers['x-robots-tag']).to.include('noindex');
    const pdf = await open(`${path}/pdf`);
    expect(pdf.headers.get('content-type')).to.equal('application/pdf');
    const bytes = new Uint8Array(await pdf.arrayBuffer());
    const { text } = await extractText(await getDocumentProxy(bytes), { mergePages: true });
    expect(text).to.include(invoice.invoice_number).and.to.include('$100.00');
  });

  it('the link to an invoice page appears only in the response of /send and in the message', async () => {
    const { id, path } = await sendInvoice();
    const token = path.slice('/i/'.length);
    const { items } = (await tenant.client.get(`/messages?invoice_id=${id}`)).body.data;
    expect((await tenant.client.get(`/messages/${items[0].id}`)).text).to.include(token);
    for (const other of [`/invoices/${id}`, '/invoices', '/messages', '/events']) {
      const { text } = await tenant.client.get(other);
      expect(text, other).to.not.include(token).and.to.not.include('/i/');
    }
    const [audit] = await stack.rows<{ all: string }>(
      tenant.id,
      'select json_agg(a)::text as all from audit_entries a where tenant_id = $1',
      [tenant.id],
    );
    expect(audit?.all).to.not.include(token);
  });

  it('opening the invoice page marks the invoice as viewed once and adds an audit entry', async () => {
    const { id, path } = await sendInvoice();
    await open(`${path}/pdf`);
    expect((await getInvoice(id)).status, 'after opening only the PDF').to.equal('sending');
    const pageView = await open(path, {
      headers: { 'user-agent': 'A Browser', 'sec-fetch-dest': 'document' },
    });
    expect(pageView.status).to.equal(200);
    const viewed = await getInvoice(id);
    expect(viewed.status).to.equal('viewed');
    expect(viewed.delivery.viewed_at).to.be.a('string');
    expect(viewed.allowed_actions).to.include('send');
    await open(path);
    expect(await getInvoice(id), 'after opening the page again').to.deep.equal(viewed);
    const entries = await stack.rows(
      tenant.id,
      `select actor_type, actor_name, source, outcome, user_agent from audit_entries
       where tenant_id = $1 and entity_id = $2 and action = 'invoice.viewed'`,
      [tenant.id, id],
    );
    expect(entries).to.deep.equal([
      {
        actor_type: 'system',
        actor_name: 'invoice page',
        source: 'webhook',
        outcome: 'ok',
        user_agent: 'A Browser',
      },
    ]);
  });

  it('HEAD, prefetching, frames, scripts and robots do not mark an invoice as viewed', async () => {
    const { id, path } = await sendInvoice();
    await open(path, { method: 'HEAD' });
    for (const headers of [
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'x-purpose': 'preview' },
      { 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-dest': 'empty' },
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' },
      { 'user-agent': 'SafeLinks scanner' },
    ] as Record<string, string>[])
      expect((await open(path, { headers })).status).to.equal(200);
    expect((await getInvoice(id)).status).to.equal('sending');
    expect((await getInvoice(id)).delivery.viewed_at).to.equal(null);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const refused = await open(path, { method });
      expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'GET']);
    }
  });

  it('opening the page of a paid, overdue, disputed or failed invoice records the time and keeps the status', async () => {
    for (const status of ['partially_paid', 'paid', 'overdue', 'disputed', 'failed']) {
      const { id, path } = await sendInvoice();
      await stack.rows(tenant.id, 'update invoices set status = $3 where tenant_id = $1 and id = $2', [
        tenant.id,
        id,
        status,
      ]);
      await open(path);
      const invoice = await getInvoice(id);
      expect(invoice.status).to.equal(status);
      expect(invoice.delivery.viewed_at, status).to.be.a('string');
    }
    const { id, path } = await sendInvoice();
    await stack.rows(
      tenant.id,
      `update invoices set status = 'sent_to_roadsync' where tenant_id = $1 and id = $2`,
      [tenant.id, id],
    );
    await open(path);
    expect((await getInvoice(id)).status).to.equal('viewed');
    // Sending the invoice again resets its status, and the next view sets `viewed` again.
    const again = await tenant.client.post(`/invoices/${id}/send`, {});
    expect(again.body.status).to.equal('sending');
    await open(new URL(again.body.view_url).pathname);
    expect((await getInvoice(id)).status).to.equal('viewed');
  });

  it('the page of an expired, revoked, voided or revised invoice is gone and says why', async () => {
    const expectGone = async (path: string, status: number, text: RegExp) => {
      for (const part of ['', '/pdf']) {
        const response = await open(path + part);
        expect(response.status).to.equal(status);
        expect(response.headers.get('content-type')).to.include('text/html');
        expect(await response.text())
          .to.match(text)
          .and.to.not.include('$100.00');
      }
    };
    const expired = await sendInvoice();
    await stack.rows(
      tenant.id,
      'update messages set link_expires_at = now() where tenant_id = $1 and invoice_id = $2',
      [tenant.id, expired.id],
    );
    await expectGone(expired.path, 410, /expired.*Hudson Towing/s);
    const revoked = await sendInvoice();
    const { items } = (await tenant.client.get(`/messages?invoice_id=${revoked.id}`)).body.data;
    expect(Date.parse(items[0].link_expires_at)).to.be.within(
      Date.now() + 89 * 86_400_000,
      Date.now() + 91 * 86_400_000,
    );
    const response = await tenant.client.post(`/messages/${items[0].id}/revoke-link`, {});
    expect(response.body.link_revoked_at).to.be.a('string');
    expect((await tenant.client.post(`/messages/${items[0].id}/revoke-link`, {})).body).to.deep.equal(
      response.body,
    );
    await expectGone(revoked.path, 410, /expired/);
    const voided = await sendInvoice();
    await tenant.client.post(`/invoices/${voided.id}/void`, { reason: 'x' });
    await expectGone(voided.path, 410, /withdrawn/);
    const revised = await sendInvoice();
    await tenant.client.post(`/invoices/${revised.id}/dispute`, { reason: 'x' });
    expect((await open(revised.path)).status).to.equal(200);
    await tenant.client.post(`/invoices/${revised.id}/return`, {});
    await expectGone(revised.path, 404, /revised/);
  });

  it('every foreign, unknown or forged token gets the same 404 page', async () => {
    const { path } = await sendInvoice();
    const token = path.slice('/i/'.length);
    const other = await stack.createTenant('Other Towing');
    const { items } = (await tenant.client.get('/messages')).body.data;
    const key = deriveLinkKey(stack.runtime.config);
    const foreign = sealLink(key, { tenantId: other.id, messageId: items[0].id });
    const unknown = sealLink(key, { tenantId: tenant.id, messageId: newId() });
    const swapped = (token[20] === 'A' ? 'B' : 'A') + token.slice(21);
    const forged = token.slice(0, 20) + swapped;
    const texts = new Set<string>();
    for (const badToken of [
      foreign,
      unknown,
      forged,
      'x',
      '..%2f',
      'A'.repeat(80),
      `${token}A`,
      token.slice(1),
    ]) {
      const response = await open(`/i/${badToken}`);
      expect(response.status, badToken).to.equal(404);
      texts.add(await response.text());
    }
    expect(texts.size, 'number of different pages').to.equal(1);
    expect([...texts][0]).to.not.include('Hudson');
  });

  it('the invoice page escapes HTML in every text', async () => {
    const { body: customer } = await tenant.client.post('/customers', {
      company_name: ATTACK,
      address: `${ATTACK}\n${ATTACK}`,
    });
    const { path } = await sendInvoice({
      invoice_number: `X-${ATTACK}`,
      customer_id: customer.id,
      po_number: ATTACK,
      vehicle_description: ATTACK,
      line_items: [lineItem({ name: ATTACK, description: ATTACK })],
    });
    const html = await (await open(path)).text();
    expect(html).to.include('&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38;');
    expect(html).to.not.include('<img');
  });

  it('the page of a sandbox invoice works and says that nothing is owed', async () => {
    const { id, path } = await sendInvoice({}, tenant.sandbox);
    expect(await (await open(path)).text()).to.include('Test: nothing is owed');
    await open(path);
    expect((await getInvoice(id, tenant.sandbox)).status).to.equal('viewed');
  });

  it('concurrent downloads of one PDF are limited per address while the API keeps responding', async () => {
    const line_items = Array.from({ length: 200 }, () => lineItem({ description: 'x '.repeat(990) }));
    const { path } = await sendInvoice({ line_items });
    const downloads = Array.from({ length: 30 }, () => open(`${path}/pdf`));
    for (let nth = 0; nth < 3; nth += 1) expect((await tenant.client.get('/me')).status).to.equal(200);
    const responses = await Promise.all(downloads);
    // Read all responses, because the stack cannot close while a response is unread.
    await Promise.all(responses.map((response) => response.arrayBuffer()));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 429).length).to.be.at.least(10);
    expect(new Set(statuses)).to.deep.equal(new Set([200, 429]));
  });

  const limited = useStack(PROXIED_STACK);

  it('the invoice page limits requests per network: an IPv4 address, or the /56 of an IPv6 address', async () => {
    const { path } = await sendInvoice(invoiceInput());
    const client = new TestClient(limited.origin, '', '');
    const requestFrom = (address: string) =>
      client.send('GET', path, { headers: { 'x-forwarded-for': address } });
    let lastResponse = await requestFrom('192.0.2.1');
    for (let nth = 0; nth < 120; nth += 1) lastResponse = await requestFrom('192.0.2.1');
    expect(lastResponse.status).to.equal(429);
    expect(Number(lastResponse.headers['retry-after'])).to.be.above(0);
    expect((await requestFrom('192.0.2.2')).status, 'another address').to.equal(404);
    for (let nth = 0; nth < 120; nth += 1)
      lastResponse = await requestFrom(`2001:db8:1:${nth.toString(16)}::1`);
    expect(lastResponse.status, 'the last request within the limit of its network').to.equal(404);
    expect((await requestFrom('2001:db8:1:ff::1')).status, 'addresses of one /56').to.equal(429);
    expect((await requestFrom('2001:db8:1:100::1')).status, 'another network').to.equal(404);
  });
});
