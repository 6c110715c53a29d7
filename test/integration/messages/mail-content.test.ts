import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { extractPdfPages } from '../../support/records/pdf.js';
import { invoiceInput, lineItem, UNKNOWN_ID } from '../../support/records/samples.js';
import { BASE_URL, MAIL_FROM, useMailFixture } from './mail-fixture.js';

const formatUsd = (cents: number) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(cents / 100);

const ATTACK = `<script>alert(1)</script>"'&`;

describe('content of invoice mails and PDFs', () => {
  const mail = useMailFixture();

  before(async () => {
    await mail.stack.rows(mail.tenant.id, 'update tenants set tax_rate_bps = 825 where tenant_id = $1', [
      mail.tenant.id,
    ]);
  });

  const fetchPdf = async (id: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${mail.stack.origin}/v1/invoices/${id}/pdf`, {
      headers: { authorization: `Bearer ${mail.tenant.client.key}`, ...headers },
    });
    return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
  };

  async function createCustomer(overrides: Record<string, unknown> = {}): Promise<string> {
    const customer = {
      company_name: 'Road & Sons',
      address: '1 Main St\nDock 4',
      city: 'Hudson',
      state: 'NY',
      zip: '12534',
      ...overrides,
    };
    return (await mail.tenant.client.post('/customers', customer)).body.id;
  }

  it('an invoice mail has text and HTML with line items, totals, due date and link, and the PDF attached', async () => {
    const id = await mail.sendNewInvoice({
      customer_id: await createCustomer(),
      po_number: 'PO-7',
      vehicle_description: '2019 Honda Civic',
      due_date: '2027-01-16T02:00:00Z',
      line_items: [
        lineItem({
          name: 'Light-duty tow',
          unit_price_cents: 12_500,
          taxable: true,
          description: 'From I-87',
        }),
        lineItem({
          name: 'Mileage',
          category: 'mileage',
          unit_type: 'mile',
          quantity: 12.5,
          unit_price_cents: 450,
        }),
      ],
    });
    const invoice = await mail.waitForDelivery(id, 'sent');
    const {
      from,
      to,
      mail: received,
    } = mail.server.accepted.at(-1) as NonNullable<(typeof mail.server.accepted)[number]>;
    expect([from, to]).to.deep.equal([MAIL_FROM, ['billing@example.com']]);
    expect(received.from).to.deep.include({ name: 'Hudson Towing', address: MAIL_FROM });
    expect(received.subject).to.equal(`Invoice ${invoice.invoice_number} from Hudson Towing`);
    const shown = [
      'Hudson Towing',
      'Light-duty tow',
      'From I-87',
      '12.5 miles',
      formatUsd(invoice.subtotal_cents),
      formatUsd(invoice.tax_cents),
      formatUsd(invoice.total_cents),
      'PO-7',
      '2019 Honda Civic',
      // The due date is at 02:00 UTC, which is the evening before in the account's time zone.
      'Jan 15, 2027',
    ];
    expect(received.text).to.include('Road & Sons, 1 Main St, Dock 4, Hudson, NY 12534');
    expect(received.html).to.include('Road &#38; Sons');
    for (const text of shown) {
      expect(received.text).to.include(text);
      expect(received.html).to.include(text);
    }
    const [link] = /https:\/\/\S+\/i\/[\w-]{80}/.exec(received.text ?? '') ?? [];
    expect(link).to.match(new RegExp(`^${BASE_URL}/i/`));
    expect(received.html).to.include(`href="${link}"`);
    expect(received.html).to.not.match(/<script|<img/i);
    const [attachment] = received.attachments;
    expect(attachment).to.include({
      filename: `invoice-${invoice.invoice_number}.pdf`,
      mimeType: 'application/pdf',
    });
    const [page] = await extractPdfPages(new Uint8Array(attachment?.content as ArrayBuffer));
    for (const text of shown) expect(page).to.include(text);
    // Each part of the address is on a separate line.
    expect(page).to.match(/Road & Sons\s+1 Main St\s+Dock 4\s+Hudson, NY 12534/);
  });

  it('an invoice mail escapes HTML in the texts of the invoice and sanitizes the file name', async () => {
    const id = await mail.sendNewInvoice({
      invoice_number: `I-${ATTACK}`,
      customer_id: await createCustomer({ company_name: ATTACK, address: ATTACK }),
      po_number: ATTACK,
      vehicle_description: ATTACK,
      line_items: [lineItem({ name: ATTACK, description: ATTACK })],
    });
    await mail.waitForDelivery(id, 'sent');
    const received = mail.server.accepted.at(-1)?.mail;
    expect(received?.subject).to.include(ATTACK);
    expect(received?.text).to.include(ATTACK);
    expect(received?.html).to.not.include('<script');
    expect(received?.html).to.include('&#60;script&#62;');
    expect(received?.attachments[0]?.filename).to.equal('invoice-I--script-alert-1-script-.pdf');
  });

  it('POST /invoices/{id}/send refuses several addresses and header injection in "to"', async () => {
    const id = await mail.createApprovedInvoice();
    for (const to of ['a@example.com, b@example.com', 'a@example.com\r\nBcc: c@example.com', 'nobody']) {
      expectError(await mail.tenant.client.post(`/invoices/${id}/send`, { to }), 400, 'validation_error');
    }
  });

  it('POST /invoices/{id}/send refuses "to" for both channels and a phone number that is none', async () => {
    const id = await mail.createApprovedInvoice();
    const send = (body: object) => mail.tenant.client.post(`/invoices/${id}/send`, body);
    const both = await send({ channel: 'both', to: 'a@example.com' });
    expectError(both, 400, 'validation_error');
    expect(both.body.error.details[0]).to.include({ field: 'to', code: 'unknown' });
    for (const to of ['a@example.com', '12', '+1 555 0100; +1 555 0101']) {
      const sms = await send({ channel: 'sms', to });
      expectError(sms, 400, 'validation_error');
      expect(sms.body.error.details[0]).to.include({ field: 'to', code: 'phone' });
    }
    expect((await send({ channel: 'sms', to: '+1 (555) 010-4477' })).status).to.equal(200);
  });

  it('the PDF of an invoice shows totals and payments, and each page repeats the head of the table', async () => {
    const line_items = Array.from({ length: 120 }, (_, nth) =>
      lineItem({ name: `Line ${nth + 1}`, unit_price_cents: 101 + nth, taxable: nth % 2 === 0 }),
    );
    const id = await mail.sendNewInvoice({ line_items });
    await mail.waitForDelivery(id, 'sent');
    await mail.tenant.client.post(`/invoices/${id}/payments`, { amount_cents: 1_234, method: 'cash' });
    const invoice = await mail.read(`/invoices/${id}`);
    const { response, bytes } = await fetchPdf(id);
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/pdf');
    expect(response.headers.get('content-disposition')).to.include(`invoice-${invoice.invoice_number}.pdf`);
    const pages = await extractPdfPages(bytes);
    expect(pages.length).to.be.above(2);
    for (const page of pages.filter((text) => /Line \d/.test(text)))
      expect(page).to.match(/Service\s+Quantity\s+Price\s+Amount/);
    const text = pages.join('\n');
    for (let nth = 1; nth <= 120; nth += 1) expect(text).to.match(new RegExp(`Line ${nth}\\s`));
    const last = pages.at(-1) ?? '';
    for (const [label, cents] of [
      ['Subtotal', invoice.subtotal_cents],
      ['Tax (8.25%)', invoice.tax_cents],
      ['Total', invoice.total_cents],
      ['Paid', 1_234],
      ['Balance due', invoice.balance_due_cents],
    ] as const)
      expect(last.replace(/\s+/g, ' ')).to.include(`${label} ${formatUsd(cents)}`);
    expect(last).to.include(`page ${pages.length} of ${pages.length}`);
    const again = await fetchPdf(id);
    expect(Buffer.from(again.bytes).equals(Buffer.from(bytes)), 'the same bytes').to.equal(true);
  });

  it('the PDF of a draft or a void invoice says so', async () => {
    const { body: draft } = await mail.tenant.client.post('/invoices', invoiceInput());
    expect((await extractPdfPages((await fetchPdf(draft.id)).bytes))[0]).to.include(
      'Draft: not an invoice yet',
    );
    const id = await mail.sendNewInvoice();
    await mail.tenant.client.post(`/invoices/${id}/void`, { reason: 'x' });
    expect((await extractPdfPages((await fetchPdf(id)).bytes))[0])
      .to.include('Void: nothing is owed')
      .and.to.not.include('Balance due');
  });

  it('GET /invoices/{id}/pdf needs the rights to read the invoice, in its own account', async () => {
    const id = await mail.createApprovedInvoice();
    const other = await mail.stack.createTenant('Other Towing');
    for (const path of [`/invoices/${id}/pdf`, `/invoices/${UNKNOWN_ID}/pdf`, '/invoices/x/pdf'])
      expectError(await other.client.get(path), 404, 'not_found');
    const agent = mail.stack.createClient(
      await mail.stack.createKey(mail.tenant.id, { kind: 'agent', scopes: ['read_invoices'] }),
    );
    expect((await agent.get(`/invoices/${id}/pdf`)).status).to.equal(200);
    expect((await fetchPdf(id, { accept: 'application/pdf' })).response.status).to.equal(200);
    expect((await fetchPdf(id, { accept: 'text/html' })).response.status).to.equal(406);
  });
});
