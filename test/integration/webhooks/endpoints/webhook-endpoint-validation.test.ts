import { expect } from 'chai';
import { listValidationErrors } from '../../../support/expect-error.js';
import { endpointInput } from '../../../support/records/samples.js';
import { useStack, useTenant } from '../../../support/use-stack.js';
import { createEndpoint } from '../../../support/webhooks/webhook-endpoints.js';

describe('invalid webhook endpoints', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const listErrors = async (body: Record<string, unknown>) => {
    const whole = listValidationErrors(await tenant.client.post('/webhook-endpoints', endpointInput(body)));
    const { id } = await createEndpoint(tenant.client);
    expect(listValidationErrors(await tenant.client.patch(`/webhook-endpoints/${id}`, body))).to.deep.equal(
      whole,
    );
    return whole;
  };
  const listHeaderErrors = async (headers: Record<string, unknown>) =>
    listValidationErrors(await tenant.client.post('/webhook-endpoints', endpointInput({ headers })));

  it('POST /webhook-endpoints reports every validation error', async () => {
    const response = await tenant.client.post('/webhook-endpoints', {
      url: 'ftp://example.com',
      event_types: [],
      description: 'x'.repeat(201),
      headers: { host: 'h' },
      rate_limit_per_second: 0,
      max_in_flight: 101,
      enabled: 'yes',
      asymmetric: 1,
    });
    expect(listValidationErrors(response)).to.deep.equal([
      'asymmetric base',
      'description max',
      'enabled base',
      'event_types min',
      'headers.host unknown',
      'max_in_flight max',
      'rate_limit_per_second min',
      'url uriCustomScheme',
    ]);
    expect(listValidationErrors(await tenant.client.post('/webhook-endpoints', {}))).to.deep.equal([
      'event_types required',
      'url required',
    ]);
  });

  it('a webhook endpoint refuses a URL that is invalid, too long or contains credentials', async () => {
    const long = `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`;
    expect(await listErrors({ url: `${long}a` })).to.deep.equal(['url max']);
    expect((await createEndpoint(tenant.client, { url: long })).url).to.equal(long);
    expect(await listErrors({ url: 'example.com/hooks' })).to.deep.equal(['url uriCustomScheme']);
    for (const url of ['https://user@example.com', 'https://user:pass@example.com/x', 'https://'])
      expect(await listErrors({ url }), url)
        .to.have.length(1)
        .and.match(/^url /);
  });

  it('a webhook endpoint refuses unknown and repeated event types', async () => {
    expect(await listErrors({ event_types: ['invoice.*', 'invoice.*'] })).to.deep.equal([
      'event_types[1] unique',
    ]);
    expect(
      await listErrors({ event_types: ['Invoice', 'invoice.created.*', 'invoices.*', 'in*'] }),
    ).to.deep.equal([
      'event_types[0] pattern',
      'event_types[1] eventType',
      'event_types[2] eventType',
      'event_types[3] pattern',
    ]);
    expect(await listErrors({ event_types: '*' })).to.deep.equal(['event_types base']);
    expect(await listErrors({ event_types: Array.from({ length: 51 }, () => '*') })).to.include(
      'event_types max',
    );
    for (const type of ['ai.*', 'ai.suggestion.*', 'endpoint.failing', 'export.completed'])
      expect((await createEndpoint(tenant.client, { event_types: [type] })).event_types).to.deep.equal([
        type,
      ]);
  });

  it('a webhook endpoint refuses invalid headers and headers that a delivery sets itself', async () => {
    const reserved = [
      'Host',
      'content-length',
      'Content-Type',
      'CONNECTION',
      'transfer-encoding',
      'upgrade',
      'te',
      'trailer',
      'expect',
      'keep-alive',
      'proxy-authorization',
      'webhook-id',
      'user-agent',
      'accept-encoding',
    ];
    for (const name of [...reserved, 'x y', 'x:y', 'ä', ''])
      expect(await listHeaderErrors({ [name]: 'v' }), name).to.deep.equal([`headers.${name} unknown`]);
    for (const value of ['a\r\nb', 'a\nb', 'a\tb', 'ä', '\u0001'])
      expect(await listHeaderErrors({ 'x-a': value }), value).to.deep.equal(['headers.x-a pattern']);
    expect(await listHeaderErrors({ 'x-a': '', 'x-b': 'v'.repeat(1025), 'x-c': 3 })).to.deep.equal([
      'headers.x-a empty',
      'headers.x-b max',
      'headers.x-c base',
    ]);
    expect(await listHeaderErrors({ 'x-a': '1', 'X-A': '2' })).to.deep.equal(['headers repeated']);
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, nth) => [`x-${nth}`, 'v'.repeat(1024)]));
    expect(await listHeaderErrors(many(21))).to.deep.equal(['headers max']);
    expect((await createEndpoint(tenant.client, { headers: many(20) })).header_names).to.have.length(20);
    expect(
      (await createEndpoint(tenant.client, { headers: { 'content-typed': 'v', 'x-te': 'v' } })).header_names,
    ).to.have.length(2);
  });
});
