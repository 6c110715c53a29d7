import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import type { TestStack } from '../../support/stack.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const MEBIBYTE = 1024 * 1024;

describe('the request body parser', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const post = (raw: string | Buffer, headers: Record<string, string> = {}) =>
    tenant.client.call('POST', '/invoices', { raw, headers });

  /** Builds a valid body of exactly `bytes` bytes, padded with spaces. */
  const buildPaddedBody = (bytes: number) => {
    const text = '{"invoice_number":"PAD"';
    return `${text}${' '.repeat(bytes - text.length - 1)}}`;
  };

  it('POST /invoices accepts a body of exactly 1 MiB and refuses one more byte with 413', async () => {
    const largest = await post(buildPaddedBody(MEBIBYTE), { 'x-service-dry-run': 'true' });
    expect(largest.status, largest.text).to.equal(200);
    expectError(await post(buildPaddedBody(MEBIBYTE + 1)), 413, 'payload_too_large');
  });

  it('POST /invoices refuses a chunked body of 1 MiB + 1 byte, although no length is announced', async () => {
    const request = `POST /v1/invoices HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.client.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const body = buildPaddedBody(MEBIBYTE + 1);
    const response = await exchange(stack, `${request}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expectError(response, 413, 'payload_too_large');
  });

  it('POST /invoices accepts 20 levels of nesting and refuses 21', async () => {
    const nested = (levels: number) =>
      `{"invoice_number":"D","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const deepest = await post(nested(20), { 'x-service-dry-run': 'true' });
    expect(deepest.status, deepest.text).to.equal(200);
    const details = expectError(await post(nested(21)), 400, 'invalid_json');
    expect(details.map(({ code }) => code)).to.deep.equal(['too_deep']);
  });

  it('POST /invoices refuses 400,000 line items with a single too_many_values problem', async () => {
    const body = `{"invoice_number":"M","line_items":[${Array(400_000).fill('0').join()}]}`;
    const details = expectError(await post(body), 400, 'invalid_json');
    expect(details.map(({ code }) => code)).to.deep.equal(['too_many_values']);
  });

  for (const key of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'const\\u0072uctor']) {
    it(`POST /invoices refuses the key ${key} at the top level and nested, although it ignores unknown keys`, async () => {
      const nested = `{"invoice_number":"K","note":{"deep":[{"${key}":{"admin":true}}]}}`;
      for (const body of [`{"invoice_number":"K","${key}":1}`, nested]) {
        const details = expectError(await post(body), 400, 'invalid_json');
        expect(details.map(({ code }) => code)).to.deep.equal(['forbidden_key']);
      }
    });
  }

  const invalidBodies: [string, string | Buffer, string][] = [
    ['a key that occurs twice', '{"invoice_number":"A","invoice_number":"B"}', 'duplicate_key'],
    [
      'a key that occurs twice, once escaped',
      '{"invoice_number":"A","invoice_\\u006eumber":"B"}',
      'duplicate_key',
    ],
    ['invalid UTF-8', Buffer.from('{"invoice_number":"\xe9"}', 'latin1'), 'invalid_utf8'],
    ['an overlong UTF-8 form', Buffer.from('{"invoice_number":"\xc0\xaf"}', 'latin1'), 'invalid_utf8'],
    ['a raw NUL', '{"invoice_number":"A\u0000"}', 'invalid_json'],
    ['an integer beyond 2^53', '{"invoice_number":"A","x":9007199254740993}', 'unsafe_integer'],
    ['a number beyond the range of a double', '{"invoice_number":"A","x":1e999}', 'unsafe_number'],
    ['a body that ends early', '{"invoice_number":"A"', 'invalid_json'],
    ['text after the value', '{"invoice_number":"A"} x', 'invalid_json'],
    ['a byte order mark', '\ufeff{"invoice_number":"A"}', 'invalid_json'],
    ['comments', '{"invoice_number":"A" /* no */}', 'invalid_json'],
    ['a body of spaces', '   ', 'invalid_json'],
  ];
  const forbiddenTexts: [string, string, string][] = [
    ['an escaped NUL', '{"invoice_number":"A\\u0000"}', 'invoice_number'],
    ['an unpaired surrogate', '{"invoice_number":"A\\ud800"}', 'invoice_number'],
    ['a NUL in a line item', '{"line_items":[{},{"name":"\\u0000"}]}', 'line_items[1].name'],
    ['a NUL in an unknown member', '{"invoice_number":"A","x":{"y":["\\u0000"]}}', 'x.y[0]'],
    ['a NUL in the name of a member', '{"a\\u0000b":1}', '["a\\u0000b"]'],
  ];
  for (const [name, body, field] of forbiddenTexts) {
    it(`POST /invoices refuses ${name} with validation_error and names the field`, async () => {
      const response = await post(body);
      const details = expectError(response, 400, 'validation_error');
      const message = `${field} must not contain NUL characters or unpaired surrogates`;
      expect(details).to.deep.equal([{ field, code: 'forbidden_character', message }]);
      expect(response.body.error.message).to.equal(`${message}.`);
    });
  }

  it('POST /invoices refuses a body with a forbidden character and a duplicate key, and names both', async () => {
    const body = '{"invoice_number":"A\\u0000","x":1,"x":2}';
    const details = expectError(await post(body), 400, 'invalid_json');
    expect(details.map(({ code }) => code)).to.deep.equal(['forbidden_character', 'duplicate_key']);
  });

  for (const [name, body, code] of invalidBodies) {
    it(`POST /invoices refuses ${name} with 400 invalid_json and the code ${code}`, async () => {
      const details = expectError(await post(body), 400, 'invalid_json');
      expect(details[0]?.code).to.equal(code);
    });
  }

  for (const body of [
    '[]',
    '[{"invoice_number":"A"}]',
    '"text"',
    '"{\\"invoice_number\\":\\"A\\"}"',
    '5',
    'null',
    'true',
  ]) {
    it(`POST /invoices refuses the body ${body}, which is not an object`, async () => {
      const details = expectError(await post(body), 400, 'validation_error');
      expect(details.map(({ field }) => field)).to.deep.equal(['']);
    });
  }

  it('a POST without a body counts as an empty object, and the error names the required fields', async () => {
    const { client } = tenant;
    expect(listValidationErrors(await client.post('/invoices'))).to.deep.equal(['invoice_number required']);
    expect(listValidationErrors(await client.post('/work-orders'))).to.deep.equal(['service_type required']);
    expect(listValidationErrors(await client.post('/customers'))).to.deep.equal(['company_name required']);
    expect(listValidationErrors(await client.post('/api-keys'))).to.deep.equal(['name required']);
    const declared = await client.call('POST', '/invoices', {
      headers: { 'content-type': 'application/json' },
    });
    expect(listValidationErrors(declared)).to.deep.equal(['invoice_number required']);
  });

  const body = '{"invoice_number":"T"}';

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
  ]) {
    it(`POST /invoices refuses a body of the content type "${type}" with 415`, async () => {
      expectError(await post(body, { 'content-type': type }), 415, 'unsupported_media_type');
    });
  }

  it('POST /invoices refuses a body without a content type with 415', async () => {
    const requestHead = [
      'POST /v1/invoices HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${tenant.client.key}`,
      'Connection: close',
    ];
    const response = await exchange(
      stack,
      `${requestHead.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expectError(response, 415, 'unsupported_media_type');
  });

  for (const type of [
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/merge-patch+json',
  ]) {
    it(`POST /invoices accepts a body of the content type ${type}`, async () => {
      const response = await post(body, { 'content-type': type, 'x-service-dry-run': 'true' });
      expect(response.status, response.text).to.equal(200);
    });
  }

  it('POST /invoices decompresses a gzip body', async () => {
    const compressed = gzipSync('{"invoice_number":"Zürich ✓"}');
    const response = await post(compressed, { 'content-encoding': 'gzip', 'x-service-dry-run': 'true' });
    expect(response.status, response.text).to.equal(200);
    expect(response.body.data.invoice_number).to.equal('Zürich ✓');
  });

  it('POST /invoices stops decompressing at 1 MiB and refuses a gzip bomb with 413', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MEBIBYTE, ' '));
    expect(bomb.length).to.be.lessThan(MEBIBYTE / 8);
    expectError(await post(bomb, { 'content-encoding': 'gzip' }), 413, 'payload_too_large');
  });

  it('POST /invoices refuses a gzip body that is truncated, damaged or not gzip with 400', async () => {
    const whole = gzipSync(body);
    const damaged = Buffer.from(whole);
    damaged[damaged.length - 5] = (damaged[damaged.length - 5] as number) ^ 0xff;
    for (const compressed of [whole.subarray(0, -6), damaged, Buffer.from(body)]) {
      expectError(await post(compressed, { 'content-encoding': 'gzip' }), 400, 'invalid_json');
    }
  });

  it('POST /invoices refuses an unknown Content-Encoding with 415', async () => {
    expectError(await post(body, { 'content-encoding': 'zebra' }), 415, 'unsupported_media_type');
  });

  it('the requests that the tests above expect to be refused stored no invoice', async () => {
    expect(await stack.rows(tenant.id, 'select invoice_number from invoices')).to.deep.equal([]);
  });

  const malformedRequests: [string, string, number][] = [
    ['garbage', 'nonsense\r\n\r\n', 400],
    ['a broken header', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nbro ken\r\n\r\n', 400],
    [
      'two Content-Length headers',
      'POST /v1/invoices HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      400,
    ],
    ['headers of 32 KiB', `GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(32 * 1024)}\r\n\r\n`, 431],
  ];
  for (const [name, request, status] of malformedRequests) {
    it(`the API answers an HTTP request with ${name} with the JSON error envelope, not with HTML`, async () => {
      const response = await exchange(stack, request);
      expect(response.headers['content-type']).to.equal('application/json');
      expectError(response, status, 'validation_error');
    });
  }

  it('the API answers an absolute request target that is no URL with 400, and counts the request', async () => {
    const request = 'GET http://[/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const response = await exchange(stack, request);
    expectError(response, 400, 'validation_error');
    expect(response.headers['x-request-id']).to.equal(response.body.error.requestId);
    expect(await (await fetch(`${stack.origin}/metrics`)).text()).to.match(
      /tow_http_request_duration_seconds_count\{method="GET",route="unmatched",status="400"\} 1/,
    );
  });

  const unusualRequests: [string, string][] = [
    ['without Host', 'GET /v1/me HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['with an unknown Expect', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n'],
  ];
  for (const [name, request] of unusualRequests) {
    it(`the API answers a request ${name} with its JSON envelope, not with a bare status of the HTTP server`, async () => {
      expectError(await exchange(stack, request), 401, 'unauthorized');
    });
  }
});

/** Sends a request over a new socket and reads until the server closes the socket. */
async function exchange(stack: TestStack, request: string): Promise<TestResponse> {
  const { port } = new URL(stack.origin);
  const text = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(request));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', (error) => (chunks.length > 0 ? undefined : reject(error)));
  });
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, text: body, body: JSON.parse(body) };
}
