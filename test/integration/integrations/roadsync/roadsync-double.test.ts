import { expect } from 'chai';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import type { RoadSyncCompany } from '../../../support/vendors/doubles/roadsync/company.js';
import { RoadSyncDouble } from '../../../support/vendors/doubles/roadsync/roadsync-double.js';

/** A value read from an answer. */
// biome-ignore lint/suspicious/noExplicitAny: the answers under test have no type.
type Answer = any;

describe('the double of RoadSync', () => {
  requireContracts();
  let double: RoadSyncDouble;
  let company: RoadSyncCompany;

  before(async () => {
    double = await new RoadSyncDouble().start();
  });

  beforeEach(() => {
    company = double.openCompany();
  });

  after(() => double?.stop());

  afterEach(() => {
    Object.assign(double, { misbehave: () => undefined, totalUnit: 'whole_dollars' });
    expect(double.violations.splice(0)).to.deep.equal([]);
  });

  async function call(method: string, path: string, body?: object | Buffer, type = 'application/json') {
    const response = await fetch(`${double.origin}${path}`, {
      method,
      headers: { 'x-api-key': company.apiKey, ...(body ? { 'content-type': type } : {}) },
      ...(body ? { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Answer };
  }

  const buildBody = (members: object = {}) => ({
    companyId: company.id,
    locationId: company.location.id,
    name: 'Geico Roadside',
    email: 'claims@geico.example',
    lineItems: [{ description: 'Tow', amount: 150.5, isTaxable: false }],
    customFields: { our_id: 'inv-1' },
    ...members,
  });

  const create = async (members: object = {}) =>
    (await call('POST', '/v1/invoice/', buildBody(members))).body.data as Answer;

  const list = async (query: Record<string, string> | [string, string][]) =>
    (await call('GET', `/v1/invoice/?${new URLSearchParams(query)}`)).body.data as Answer[];

  const find = (id: string) => company.find(id);

  it('creates, changes, sends, clones and voids an invoice as the contract describes', async () => {
    const { id, ...created } = await create();
    expect(created).to.include({ status: 'new', companyId: company.id, void: false, grandTotal: 151 });
    expect(created.createdAt).to.match(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}-04:00$/);
    expect((await call('PATCH', `/v1/invoice/${id}`, { comments: 'PO 7' })).body.data.comments).to.equal(
      'PO 7',
    );
    expect((await call('POST', `/v1/invoice/${id}/send`, {})).status).to.equal(204);
    expect(find(id).sends).to.deep.equal([{ email: 'claims@geico.example', phone: undefined }]);
    expect((await call('GET', `/v1/invoice/${id}`)).body.data.status).to.equal('sent');
    const { data: clone } = (await call('POST', `/v1/invoice/${id}/clone`)).body;
    expect(clone).to.include({ status: 'new' }).and.not.include({ id });
    const reason = { reason: 'duplicate' };
    expect((await call('POST', `/v1/invoice/${id}/void`, reason)).status).to.equal(204);
    expect(await call('POST', `/v1/invoice/${id}/void`, reason)).to.deep.equal({
      status: 400,
      body: { errors: [{ code: 'invoice_voided', title: 'A voided invoice cannot be voided' }] },
    });
    const customField = JSON.stringify({ name: 'our_id', value: 'inv-1' });
    expect((await list({ customField })).map((one) => one.id)).to.deep.equal([clone.id]);
    expect((await list({ fromDeletedAt: '2026-01-01T00:00:00Z' })).map((one) => one.id)).to.deep.equal([id]);
  });

  it('pages, and filters by status and by the time of the payment', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 23; index += 1) ids.push((await create()).id);
    expect(await list({})).to.have.length(21);
    expect((await list({ offset: '21', limit: '2' })).map(({ id }) => id)).to.deep.equal([ids[1], ids[0]]);
    const [first = '', second = ''] = ids;
    company.pay(find(first), 12_000, new Date('2026-11-01T10:00:00Z'));
    company.accept(find(second));
    const [paid] = await list({ fromAuthorizedAt: '2026-11-01T09:59:59Z' });
    expect(paid).to.include({ id: first, status: 'completed', grandTotal: 120 });
    expect(await list({ fromAuthorizedAt: paid.authorizedAt })).to.deep.equal([]);
    const statuses: [string, string][] = ['accepted', 'completed'].map((status) => ['status', status]);
    expect((await list(statuses)).map(({ status }) => status)).to.deep.equal(['accepted', 'completed']);
  });

  it('denies with a reason, pays in part, and refunds no more than a card paid', async () => {
    const { id } = await create();
    company.deny(find(id), 'No authorization');
    expect((await call('GET', `/v1/invoice/${id}`)).body.data).to.include({
      status: 'rejected',
      failedReason: 'No authorization',
    });
    double.totalUnit = 'dollars';
    company.pay(find(id), 10_025);
    expect((await call('GET', `/v1/invoice/${id}`)).body.data.grandTotal).to.equal(100.25);
    expect((await call('POST', `/v1/invoice/${id}/refund`, { amount: 100.26 })).status).to.equal(400);
    expect((await call('POST', `/v1/invoice/${id}/refund`, { amount: 0.25 })).status).to.equal(204);
    expect(find(id).refundsCents).to.deep.equal([25]);
  });

  it('attaches the bytes of a PDF, and refuses another type and 10 MB', async () => {
    const { id } = await create();
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from([0xff, 0x00, 0xc3, 0x28])]);
    const path = `/v1/invoice/${id}/attach?attachmentName=tow.pdf`;
    expect((await call('POST', path, bytes, 'application/pdf')).status).to.equal(201);
    expect(find(id).attachments).to.deep.equal([{ name: 'tow.pdf', type: 'application/pdf', bytes }]);
    expect((await call('POST', path, bytes, 'image/png')).status).to.equal(400);
    const large = Buffer.concat([bytes, Buffer.alloc(10 * 1024 * 1024)]);
    expect((await call('POST', path, large, 'application/pdf')).status).to.equal(413);
    expect((await call('POST', path, bytes, 'text/plain')).status).to.equal(400);
    expect(double.violations.splice(0).join()).to.contain('Content-Type is text/plain');
  });

  it('records what the contract forbids, and refuses what RoadSync refuses', async () => {
    expect((await call('POST', '/v1/invoice/', { ...buildBody(), poNumber: '7' })).status).to.equal(400);
    expect((await call('GET', '/v1/invoice/?limit=22')).status).to.equal(400);
    expect(double.violations.splice(0).join()).to.match(/body.poNumber is not in .*limit is 22/s);
    const { location } = company;
    location.shiftIds.push('shift-1');
    location.customFields = [{ name: 'mileage', isRequired: true }];
    for (const [members, code] of [
      [{ email: '' }, 'missing_contact'],
      [{}, 'invalid_shift'],
      [{ shiftId: 'shift-1' }, 'missing_field'],
      [{ shiftId: 'shift-1', customFields: { mileage: '1', our_id: 'x' } }, 'invalid_field'],
      [{ shiftId: 'shift-1', lineItems: [{ amount: 1.005 }] }, 'invalid_amount'],
      [{ shiftId: 'shift-1', lineItems: [{ amount: 1, productId: 'x' }] }, 'invalid_product'],
      [{ companyId: 'another' }, 'invalid_company'],
    ] as const)
      expect((await call('POST', '/v1/invoice/', buildBody(members))).body.errors[0].code).to.equal(code);
    company = { ...company, apiKey: 'wrong' } as RoadSyncCompany;
    expect(await call('GET', '/company/v1/location')).to.deep.equal({
      status: 403,
      body: { errors: [{ code: 'INVALID_API_KEY', detail: 'Forbidden' }] },
    });
  });

  it('misbehaves on command: limits, cuts after the commit, and bad records in a list', async () => {
    double.misbehave = () => ({ kind: 'limit', seconds: 0 });
    expect((await call('GET', '/company/v1/location')).status).to.equal(429);
    double.misbehave = (name) => (name === 'POST /v1/invoice/' ? { kind: 'cut_after' } : undefined);
    const refused = await call('POST', '/v1/invoice/', buildBody()).catch(() => 'cut');
    expect([refused, company.invoices.length]).to.deep.equal(['cut', 1]);
    const [invoice] = company.invoices;
    if (!invoice) throw new Error('no invoice');
    company.strays.push(null, { id: 7 });
    invoice.garbled = { id: undefined, grandTotal: '150', status: 'underaudit' };
    const [none, other, bad] = await list({});
    expect([none, other]).to.deep.equal([null, { id: 7 }]);
    expect(bad).to.include({ grandTotal: '150', status: 'underaudit' }).and.not.have.property('id');
    expect(double.listCalls('GET /v1/invoice/', company)).to.have.length(1);
  });

  it('lists the locations and their products', async () => {
    const { id, name, products } = company.location;
    expect((await call('GET', '/company/v1/location')).body.data).to.deep.equal([{ id, name }]);
    const path = `/company/v1/location/${id}`;
    expect((await call('GET', path)).body.data).to.deep.equal({ id, name });
    expect((await call('GET', `${path}/product`)).body.data).to.deep.equal(products);
    expect(double.listCalls('GET /company/v1/location/{id}', company)).to.have.length(1);
  });
});
