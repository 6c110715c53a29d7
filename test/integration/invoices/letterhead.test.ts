import { expect } from 'chai';
import { encodePngChunk } from '../../../bin/demo/logo.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import { countPdfDrawing, extractPdfPages } from '../../support/records/pdf.js';
import { createRedPng, SMALL_JPEG } from '../../support/records/pictures.js';
import type { TestTenant } from '../../support/stack.js';
import { useMailFixture } from '../messages/mail-fixture.js';

const LETTERHEAD = {
  business_name: 'Hudson Towing & Recovery LLC',
  address: '48 Warren Street\nRear yard',
  city: 'Hudson',
  state: 'NY',
  zip: '12534',
  phone: '(518) 555-0142',
  email: 'billing@hudson.example',
  remittance_text: 'Checks: payable to Hudson Towing.\nBank: routing 000000000',
};

const EXPECTED_TEXTS = [
  'Hudson Towing & Recovery LLC',
  '48 Warren Street',
  'Hudson, NY 12534',
  '(518) 555-0142',
  'billing@hudson.example',
  'Invoice date',
  'Due date',
  'Terms',
  'Net 14',
  'Tax (8.25%)',
  'How to pay',
  'Bank: routing 000000000',
  'Please give the invoice number',
];

describe('account letterhead', () => {
  const mail = useMailFixture();
  let tenant: TestTenant;

  before(async () => {
    tenant = mail.tenant;
    await tenant.client.patch('/settings', { ...LETTERHEAD, tax_rate_bps: 825, terms_days: 14 });
  });

  const putLogo = (raw: Buffer, type = 'image/png', client = tenant.client) =>
    client.call('PUT', '/settings/logo', { raw, headers: { 'content-type': type } });

  const fetchBytes = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${mail.stack.origin}${path}`, { headers });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const authHeaders = () => ({ authorization: `Bearer ${tenant.client.key}` });

  it('PATCH /settings stores the letterhead fields and clears one with null', async () => {
    const { body } = await tenant.client.get('/settings');
    expect(body).to.include(LETTERHEAD);
    const cleared = await tenant.client.patch('/settings', { remittance_text: null });
    expect(cleared.body.remittance_text).to.equal(null);
    await tenant.client.patch('/settings', { remittance_text: LETTERHEAD.remittance_text });
    const other = await mail.stack.createTenant('Other Towing');
    expect((await other.client.get('/settings')).body, 'another account').to.include({
      business_name: null,
      phone: null,
    });
  });

  it('GET /settings/logo returns the stored picture with its type and nosniff', async () => {
    expectError(await tenant.client.get('/settings/logo'), 404, 'not_found');
    const picture = createRedPng();
    const putResponse = await putLogo(picture);
    expect(putResponse.status).to.equal(200);
    expect(putResponse.body.logo).to.include({
      content_type: 'image/png',
      width: 40,
      height: 20,
      bytes: picture.length,
    });
    const { response, bytes } = await fetchBytes('/v1/settings/logo', authHeaders());
    expect(bytes.equals(picture)).to.equal(true);
    expect(response.headers.get('content-type')).to.equal('image/png');
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    const other = await mail.stack.createTenant('Other Towing');
    expectError(await other.client.get('/settings/logo'), 404, 'not_found');
    expect((await tenant.sandbox.get('/settings')).body.logo, 'the sandbox has its own').to.equal(null);
  });

  it('PUT /settings/logo replaces the picture, changes the ETag of the settings and audits only metadata', async () => {
    const before = (await putLogo(createRedPng(10, 10))).headers.etag;
    expect((await putLogo(createRedPng(10, 10))).headers.etag, 'the same picture').to.equal(before);
    const after = await putLogo(SMALL_JPEG, 'image/jpeg');
    expect(after.headers.etag).to.not.equal(before);
    expect(after.body.logo).to.include({ content_type: 'image/jpeg', width: 17, height: 22 });
    const log = (await tenant.client.get('/audit-log?action=settings.logo_changed&limit=1')).body.data.items;
    expect(log[0].changes[0].to).to.have.all.keys('content_type', 'width', 'height', 'sha256');
    const dry = await tenant.client.call('PUT', '/settings/logo', {
      raw: createRedPng(),
      headers: { 'content-type': 'image/png', 'x-service-dry-run': 'true' },
    });
    expect(dry.body).to.include({ dry_run: true });
    expect((await tenant.client.get('/settings')).body.logo.width, 'a dry run stores nothing').to.equal(17);
  });

  it('PUT /settings/logo refuses files that are no picture, too large or of another type than declared', async () => {
    const png = createRedPng();
    const hugePng = Buffer.concat([
      png.subarray(0, 8),
      encodePngChunk('IHDR', Buffer.from([0, 0, 0x7f, 0xff, 0, 0, 0x7f, 0xff, 8, 2, 0, 0, 0])),
      png.subarray(33),
    ]);
    const invalidPictures: [string, Buffer][] = [
      ['nothing', Buffer.alloc(0)],
      ['text', Buffer.from('<svg onload=alert(1)>')],
      ['a JPEG declared as PNG', SMALL_JPEG],
      ['half a PNG', png.subarray(0, png.length - 20)],
      ['a PNG with a wrong checksum', Buffer.from(png).fill(1, 20, 21)],
      ['a PNG that declares a huge size', hugePng],
    ];
    for (const [name, bytes] of invalidPictures) {
      const response = await putLogo(bytes);
      expect([response.status, response.body.error.code], name).to.deep.equal([400, 'validation_error']);
    }
    expectError(await putLogo(png, 'image/jpeg'), 400, 'validation_error');
    expectError(await putLogo(Buffer.alloc(256 * 1024 + 1)), 413, 'payload_too_large');
    for (const type of ['image/svg+xml', 'image/gif', 'application/json', 'text/html'])
      expectError(await putLogo(png, type), 415, 'unsupported_media_type');
    const reader = mail.stack.createClient(
      await mail.stack.createKey(tenant.id, { permissions: ['read', 'write'] }),
    );
    expectError(await putLogo(png, 'image/png', reader), 403, 'insufficient_scope');
  });

  it('PUT /settings/logo cuts off bytes after the end of the picture', async () => {
    const png = createRedPng();
    const putResponse = await putLogo(Buffer.concat([png, Buffer.from('<script>alert(1)</script>')]));
    expect(putResponse.body.logo.bytes).to.equal(png.length);
  });

  it('mail, page and PDF of an invoice show letterhead, logo, dates, terms, tax rate and how to pay', async () => {
    await putLogo(createRedPng());
    const id = await mail.sendNewInvoice();
    await mail.waitForDelivery(id, 'sent');
    const received = mail.server.accepted.at(-1)?.mail;
    const link = new URL(/https:\/\/\S+\/i\/[\w-]{80}/.exec(received?.text ?? '')?.[0] ?? '').pathname;
    const page = await fetchBytes(link);
    const { bytes } = await fetchBytes(`/v1/invoices/${id}/pdf`, authHeaders());
    const pdf = (await extractPdfPages(bytes)).join('\n');
    const html = page.bytes.toString();
    for (const text of EXPECTED_TEXTS) {
      const escaped = text.replace('&', '&#38;');
      expect(pdf, 'PDF').to.include(text);
      expect(html, 'page').to.include(escaped);
      expect(received?.html, 'HTML of the mail').to.include(escaped);
    }
    for (const text of EXPECTED_TEXTS) expect(received?.text, 'text of the mail').to.include(text);
    expect(received?.from?.name).to.equal('Hudson Towing & Recovery LLC');

    expect((await countPdfDrawing(bytes)).pictures, 'pictures in the PDF').to.equal(1);
    expect(page.response.headers.get('content-security-policy')).to.include("img-src 'self'");
    expect(html).to.include(`src="${link}/logo"`);
    const logo = await fetchBytes(`${link}/logo`);
    expect(logo.bytes.equals(createRedPng()), 'the picture on the page').to.equal(true);
    expect(logo.response.headers.get('x-content-type-options')).to.equal('nosniff');
    const inline = received?.attachments.find(({ disposition }) => disposition === 'inline');
    expect(inline?.contentId).to.equal('<account-logo>');
    expect(
      Buffer.from(inline?.content as ArrayBuffer).equals(createRedPng()),
      'the picture in the mail',
    ).to.equal(true);
    expect(received?.html).to.include('src="cid:account-logo"');
  });

  it('the invoice PDF embeds a JPEG logo byte for byte', async () => {
    await putLogo(SMALL_JPEG, 'image/jpeg');
    const { bytes } = await fetchBytes(
      `/v1/invoices/${await mail.createApprovedInvoice()}/pdf`,
      authHeaders(),
    );
    expect((await countPdfDrawing(bytes)).pictures).to.equal(1);
    expect(bytes.includes(SMALL_JPEG), 'the bytes of the JPEG').to.equal(true);
  });

  it('a mail has no logo if the logo was deleted before the mail was sent', async () => {
    await putLogo(createRedPng());
    mail.server.setNextBehaviors({ as: 'refuse', code: 451, text: 'later', at: 'recipient' });
    const id = await mail.sendNewInvoice();
    const [message] = await eventually('a first attempt', async () => {
      const messages = await mail.listMessages(id);
      return messages[0]?.error ? messages : undefined;
    });
    await tenant.client.delete('/settings/logo');
    await mail.retryNow(message.id);
    await mail.waitForDelivery(id, 'sent');
    const received = mail.server.accepted.at(-1)?.mail;
    expect(received?.html).to.include('Hudson Towing').and.not.include('account-logo');
    const [attachment, ...others] = received?.attachments ?? [];
    expect(others, 'no attachment besides the PDF').to.deep.equal([]);
    expect((await countPdfDrawing(Buffer.from(attachment?.content as ArrayBuffer))).pictures).to.equal(0);
  });

  it('a changed letterhead changes the next PDF of an unchanged invoice', async () => {
    await putLogo(createRedPng());
    const id = await mail.createApprovedInvoice();
    const fetchPdf = async () => (await fetchBytes(`/v1/invoices/${id}/pdf`, authHeaders())).bytes;
    const first = await fetchPdf();
    expect((await fetchPdf()).equals(first), 'the same version').to.equal(true);
    await tenant.client.patch('/settings', { phone: '(518) 555-0199' });
    expect((await extractPdfPages(await fetchPdf())).join()).to.include('(518) 555-0199');
    await tenant.client.delete('/settings/logo');
    expect((await countPdfDrawing(await fetchPdf())).pictures).to.equal(0);
    expect((await tenant.client.delete('/settings/logo')).status, 'again').to.equal(200);
  });
});
