import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { xero } from '../../../shared/integrations/xero/adapter.js';
import { readAnswer } from '../../../shared/integrations/xero/api/client.js';
import { parseDay, parseTime } from '../../../shared/integrations/xero/api/dates.js';
import { inbound } from '../../../shared/integrations/xero/api/inbound.js';
import { toInvoiceChange } from '../../../shared/integrations/xero/invoice-mapper.js';
import { buildReference, toChange } from '../../../shared/integrations/xero/payment-mapper.js';
import { shareTax } from '../../../shared/integrations/xero/tax.js';

const ID = '7d1c2f6e-0b7f-4a43-9a3e-6a3f5a7d9b11';
const TENANT = 'aef86862-2015-4b6b-88bc-d89032cecc50';

describe('The adapter of Xero', () => {
  it('asks for the granular scopes, and for a refresh token', () => {
    expect(xero.manifest.oauth?.scopes).to.have.members([
      'offline_access',
      'accounting.invoices',
      'accounting.payments',
      'accounting.contacts',
      'accounting.settings',
    ]);
  });

  it('reads the dates of Xero in all their forms', () => {
    expect(parseTime('/Date(1573755038314)/')).to.equal(1_573_755_038_314);
    expect(parseTime('/Date(1573755038314+0000)/')).to.equal(1_573_755_038_314);
    expect(parseTime('/Date(1573755038314+1300)/')).to.equal(1_573_755_038_314);
    expect(parseTime('/Date(-1)/')).to.equal(-1);
    expect(parseTime('2019-11-14T18:10:38')).to.equal(Date.UTC(2019, 10, 14, 18, 10, 38));
    expect(parseTime('2019-11-14T18:10:38Z')).to.equal(Date.UTC(2019, 10, 14, 18, 10, 38));
    expect(parseTime('soon')).to.equal(undefined);
    expect(parseTime(undefined)).to.equal(undefined);
    expect(parseDay('/Date(1552521600000+0000)/')).to.equal('2019-03-14');
    expect(parseDay('2019-03-14')).to.equal('2019-03-14');
  });

  it('shares the tax of an invoice between its taxed lines to the cent', () => {
    const line = (totalCents: number, isTaxable = true) => ({ totalCents, isTaxable });
    expect(shareTax([line(3333), line(3333), line(3334), line(500, false)], 825)).to.deep.equal([
      275, 275, 275, 0,
    ]);
    expect(shareTax([line(100), line(100), line(100)], 1)).to.deep.equal([0, 1, 0]);
    expect(shareTax([line(500, false), line(0)], 7)).to.deep.equal([0, 7]);
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ totalCents: fc.integer({ min: -9999, max: 99_999 }), isTaxable: fc.boolean() }),
          {
            minLength: 1,
          },
        ),
        fc.nat({ max: 99_999 }),
        (lines, tax) => {
          const shares = shareTax(lines, tax);
          expect(shares.reduce((sum, share) => sum + share, 0)).to.equal(tax);
          expect(shares).to.have.length(lines.length);
        },
      ),
    );
  });

  it('accepts a signature of the raw body with its key, and no other', () => {
    const body = '{"events":[],"firstEventSequence":0,"lastEventSequence":0,"entropy":"S0m3r4Nd0mt3xt"}';
    const verify = (text: string, signature: string) =>
      inbound.verify({ body: Buffer.from(text), headers: { 'x-xero-signature': signature }, url: '' }, 'key');
    const signature = createHmac('sha256', 'key').update(body).digest('base64');
    expect(verify(body, signature)).to.equal(true);
    expect(verify(`${body} `, signature)).to.equal(false);
    expect(verify(body, '')).to.equal(false);
    expect(inbound.split(Buffer.from(body))).to.deep.equal([]);
  });

  it('reads an event about an invoice as a hint about the invoice and about its payments', () => {
    const event = (eventCategory: string, resourceId = ID) => ({
      resourceId,
      tenantId: TENANT,
      eventCategory,
      eventType: 'UPDATE',
      eventDateUtc: '2026-11-27T10:00:00.000',
    });
    const split = (...events: object[]) => inbound.split(Buffer.from(JSON.stringify({ events })));
    const notices = split(
      event('INVOICE'),
      event('CONTACT'),
      event('CREDITNOTE'),
      event('INVOICE', '1") OR 1==1'),
    );
    expect(notices.map(({ stream, hint }) => [stream, hint])).to.deep.equal([
      ['invoices', ID],
      ['booked_payments', `invoice:${ID}`],
      ['customers', ID],
    ]);
    expect(new Set(notices.map(({ dedupeId }) => dedupeId)).size).to.equal(3);
    expect(notices.every(({ externalAccount }) => externalAccount === TENANT)).to.equal(true);
  });

  it('takes a status that nobody knows for an open invoice, and ignores the address for the version', () => {
    const invoice = { InvoiceID: ID, InvoiceNumber: '1', Total: 12.5, Status: 'HELD' };
    const short = toInvoiceChange(invoice);
    const long = toInvoiceChange({ ...invoice, Url: `https://tow.example.com/app/invoices/${ID}` });
    expect(short.fields).to.include({ status: 'open', totalCents: 1250, invoiceId: null });
    expect(long.fields.invoiceId).to.equal(ID);
    expect(long.version).to.equal(short.version);
    expect(toInvoiceChange({ ...invoice, Status: 'VOIDED' }).version).to.not.equal(short.version);
  });

  it('finds the id of a payment beside the reference of a person', () => {
    const payment = { paymentId: ID, reference: 'Check · 1042' } as Parameters<typeof buildReference>[0];
    const read = (Reference: string) => toChange({ PaymentID: TENANT, Reference, Amount: 1 }).fields;
    expect(read(buildReference(payment))).to.include({ paymentId: ID, reference: 'Check · 1042' });
    expect(read(buildReference({ ...payment, reference: null }))).to.include({
      paymentId: ID,
      reference: null,
    });
    expect(read('Cash')).to.include({ paymentId: null, reference: 'Cash' });
  });

  it('sorts the errors of Xero into kinds', () => {
    const sort = (status: number, body: object | string) => {
      try {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        readAnswer({ status, headers: {}, body: Buffer.from(text) }, true);
      } catch (error) {
        const { kind, code, message } = error as VendorError;
        return { kind, code, message };
      }
      return undefined;
    };
    const invalid = (Message: string) => ({
      ErrorNumber: 10,
      Type: 'ValidationException',
      Message: 'A validation exception occurred',
      Elements: [{ ValidationErrors: [{ Message }, { Message }] }],
    });
    expect(sort(400, invalid('Invoice # must be unique.'))).to.deep.equal({
      kind: 'refused',
      code: 'duplicate_number',
      message: 'Invoice # must be unique.',
    });
    expect(sort(400, invalid('The contact name A is already assigned.'))).to.include({
      code: 'duplicate_name',
    });
    expect(sort(400, invalid('The account is archived.'))).to.include({ kind: 'refused', code: '10' });
    expect(sort(403, { Title: 'Forbidden', Detail: 'AuthenticationUnsuccessful' })).to.include({
      kind: 'auth',
    });
    expect(sort(404, 'The resource cannot be found')).to.include({ kind: 'gone' });
    expect(sort(412, {})).to.include({ kind: 'again' });
    expect(sort(200, '<html>')).to.include({ kind: 'again', code: 'not_json' });
    expect(sort(200, { Invoices: [] })).to.equal(undefined);
  });
});
