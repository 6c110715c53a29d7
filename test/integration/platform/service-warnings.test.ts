import { expect } from 'chai';
import { formatWarningsHeader } from '../../../api/middleware/warnings.js';
import type { TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const readWarnings = (response: TestResponse) => response.headers['x-service-warnings'];

describe('X-Service-Warnings', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  it('X-Service-Warnings names the unknown members of a body on a dry run and on the write', async () => {
    const body = invoiceInput({ custmer_id: 'x', line_items: [{ ...lineItem(), colour: 'red' }] });
    const dryRun = await tenant.client.post('/invoices', body, { headers: { 'x-service-dry-run': 'true' } });
    expect(readWarnings(dryRun)).to.equal('line_items[0].colour, custmer_id');
    const created = await tenant.client.post('/invoices', body);
    expect(created.status, created.text).to.equal(201);
    expect(readWarnings(created)).to.equal('line_items[0].colour, custmer_id');
  });

  it('X-Service-Warnings names unknown members on a refused write too, because a misspelt name is often the cause', async () => {
    const refused = await tenant.client.post('/invoices', { invoce_number: 'A-1' });
    expectError(refused, 400, 'validation_error');
    expect(readWarnings(refused)).to.equal('invoce_number');
  });

  it('X-Service-Warnings names unknown query parameters of lists, single records, writes and refused lists', async () => {
    const { client } = tenant;
    const { id } = (await client.post('/customers', { company_name: 'Acme' })).body;
    expect(readWarnings(await client.get('/invoices?statsu=paid&limit=5'))).to.equal('statsu');
    expect(readWarnings(await client.get(`/customers/${id}?depth=2`))).to.equal('depth');
    expect(readWarnings(await client.patch(`/customers/${id}?force=1`, { colour: 'red' }))).to.equal(
      'force, colour',
    );
    const refused = await client.get('/invoices?limit=0&lmit=5');
    expectError(refused, 400, 'validation_error');
    expect(readWarnings(refused)).to.equal('lmit');
  });

  it('X-Service-Warnings is absent when every name is known', async () => {
    const { client } = tenant;
    expect(readWarnings(await client.get('/invoices?status=paid&limit=5'))).to.equal(undefined);
    expect(readWarnings(await client.post('/customers', { company_name: 'Known' }))).to.equal(undefined);
  });

  it('X-Service-Warnings is the same on the replay of an idempotent write', async () => {
    const headers = { 'idempotency-key': '7f9c1f0e-2d4b-4b7e-9f57-1f1f6f0f7a11' };
    const body = { company_name: 'Twice', colour: 'red' };
    await tenant.client.post('/customers', body, { headers });
    const replay = await tenant.client.post('/customers', body, { headers });
    expect(replay.headers['x-idempotency-replay']).to.equal('true');
    expect(readWarnings(replay)).to.equal('colour');
  });

  it('X-Service-Warnings contains no character that could end the header, and at most 20 names of 64 characters', async () => {
    const hostile = { 'a\r\nSet-Cookie: x=1': 1, 'b, c': 1, ключ: 1, ['x'.repeat(500)]: 1 };
    const response = await tenant.client.post('/customers', { company_name: 'Hostile', ...hostile });
    expect(response.status, response.text).to.equal(201);
    expect(response.headers).to.not.have.property('set-cookie');
    expect(readWarnings(response)).to.equal(
      `a%0D%0ASet-Cookie%3A%20x%3D1, b%2C%20c, %D0%BA%D0%BB%D1%8E%D1%87, ${'x'.repeat(64)}`,
    );
    expect(formatWarningsHeader(['\ud800'])).to.equal('%EF%BF%BD');
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, 1]));
    const names = String(
      readWarnings(await tenant.client.post('/customers', { company_name: 'Many', ...many })),
    ).split(', ');
    expect(names).to.have.length(21);
    expect(names.at(-1)).to.equal('480 more');
  });
});
