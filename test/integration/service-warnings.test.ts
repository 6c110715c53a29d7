import { expect } from 'chai';
import { warningsHeader } from '../../api/middleware/warnings.js';
import type { Answer } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { invoiceInput, lineItem } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const warningsOf = (answer: Answer) => answer.headers['x-service-warnings'];

describe('X-Service-Warnings', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  it('names the unknown members of a body on the write itself, not only on its dry run', async () => {
    const body = invoiceInput({ custmer_id: 'x', line_items: [{ ...lineItem(), colour: 'red' }] });
    const dryRun = await tenant.client.post('/invoices', body, { headers: { 'x-service-dry-run': 'true' } });
    expect(warningsOf(dryRun)).to.equal('line_items[0].colour, custmer_id');
    const created = await tenant.client.post('/invoices', body);
    expect(created.status, created.text).to.equal(201);
    expect(warningsOf(created)).to.equal('line_items[0].colour, custmer_id');
  });

  it('names them on a refused write too, where a misspelt name is often the cause', async () => {
    const refused = await tenant.client.post('/invoices', { invoce_number: 'A-1' });
    expectError(refused, 400, 'validation_error');
    expect(warningsOf(refused)).to.equal('invoce_number');
  });

  it('names unknown query parameters of a list, of a single record, of a write and of a refused list', async () => {
    const { client } = tenant;
    const { id } = (await client.post('/customers', { company_name: 'Acme' })).body;
    expect(warningsOf(await client.get('/invoices?statsu=paid&limit=5'))).to.equal('statsu');
    expect(warningsOf(await client.get(`/customers/${id}?expand=all`))).to.equal('expand');
    expect(warningsOf(await client.patch(`/customers/${id}?force=1`, { colour: 'red' }))).to.equal(
      'force, colour',
    );
    const refused = await client.get('/invoices?limit=0&lmit=5');
    expectError(refused, 400, 'validation_error');
    expect(warningsOf(refused)).to.equal('lmit');
  });

  it('is absent when every name is known', async () => {
    const { client } = tenant;
    expect(warningsOf(await client.get('/invoices?status=paid&limit=5'))).to.equal(undefined);
    expect(warningsOf(await client.post('/customers', { company_name: 'Known' }))).to.equal(undefined);
  });

  it('is the same when an idempotent write is repeated', async () => {
    const headers = { 'idempotency-key': '7f9c1f0e-2d4b-4b7e-9f57-1f1f6f0f7a11' };
    const body = { company_name: 'Twice', colour: 'red' };
    await tenant.client.post('/customers', body, { headers });
    const replay = await tenant.client.post('/customers', body, { headers });
    expect(replay.headers['x-idempotency-replay']).to.equal('true');
    expect(warningsOf(replay)).to.equal('colour');
  });

  it('holds no character that could end the header, and at most 20 names of 64 characters', async () => {
    const hostile = { 'a\r\nSet-Cookie: x=1': 1, 'b, c': 1, ключ: 1, ['x'.repeat(500)]: 1 };
    const answer = await tenant.client.post('/customers', { company_name: 'Hostile', ...hostile });
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.headers).to.not.have.property('set-cookie');
    expect(warningsOf(answer)).to.equal(
      `a%0D%0ASet-Cookie%3A%20x%3D1, b%2C%20c, %D0%BA%D0%BB%D1%8E%D1%87, ${'x'.repeat(64)}`,
    );
    expect(warningsHeader(['\ud800'])).to.equal('%EF%BF%BD');
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, 1]));
    const names = String(
      warningsOf(await tenant.client.post('/customers', { company_name: 'Many', ...many })),
    ).split(', ');
    expect(names).to.have.length(21);
    expect(names.at(-1)).to.equal('480 more');
  });
});
