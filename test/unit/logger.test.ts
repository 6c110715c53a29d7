import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { deriveKey } from '../../shared/platform/crypto.js';
import { redactPath, redactText } from '../../shared/platform/logger.js';
import { mintKey } from '../../shared/resources/api-keys/credential.js';
import { useProcesses } from '../support/processes.js';
import { scriptCommand } from '../support/run-script.js';

const sealingKey = deriveKey('a secret key of more than 32 characters', 'credentials');
const base64 = () => randomBytes(24).toString('base64');

/** Secrets that can be told by their shape, and the part of each that must never be printed. */
const SHAPED: Record<string, { text: string; secret: string }> = {
  'live key': keyCase('api', 'live'),
  'sandbox key': keyCase('api', 'sandbox'),
  'agent key': keyCase('agent', 'live'),
  'sandbox agent key': keyCase('agent', 'sandbox'),
  'webhook secret': within((secret) => `whsec_${secret}`, base64()),
  'webhook key pair': within((secret) => `whsk_${secret}`, base64()),
  'password of a PostgreSQL address': within(
    (secret) => `postgres://tow:${secret}@db.example.com:5432/tow`,
    'pA55-w0rd%21',
  ),
  'password of a Redis address without a user': within(
    (secret) => `rediss://:${secret}@cache:6380`,
    'r3dis-Secret',
  ),
  'bearer credential of any shape': within((secret) => `Bearer ${secret}`, 'abc.def-0123456789'),
};

function keyCase(kind: 'api' | 'agent', environment: 'live' | 'sandbox') {
  const { key, material } = mintKey(kind, environment, sealingKey);
  return { text: key, secret: key.slice(material.prefix.length) };
}

function within(write: (secret: string) => string, secret: string) {
  return { text: write(secret), secret };
}

/** Every way a text gets into a log line; the child turns them into calls. */
const POSITIONS: Record<string, string> = {
  message: 'log.info(text)',
  'middle of a message': 'log.warn("before " + text + " after")',
  'interpolated message': 'log.info("value %s", text)',
  member: 'log.info({ note: text }, "m")',
  'member name': 'log.info({ [text]: 1 }, "m")',
  'deep member': 'log.info({ a: { b: { c: { d: [{ e: text }] } } } }, "m")',
  array: 'log.error({ list: ["x", text] }, "m")',
  'json in a string': 'log.info({ body: JSON.stringify({ inner: text }) }, "m")',
  'error message': 'log.error({ err: new Error("failed: " + text) }, "m")',
  'error cause': 'log.error({ err: new Error("outer", { cause: new Error(text) }) }, "m")',
  'member of an error':
    'log.error({ err: Object.assign(new Error("x"), { detail: text, nested: { url: text } }) }, "m")',
  'error alone': 'log.error(new Error(text))',
  'child logger': 'log.child({ scope: text }).info("m")',
  trace: 'log.trace({ value: text }, text)',
};

/** Members whose value is secret whatever it looks like. */
const NAMED = [
  'authorization',
  'password',
  'key',
  'secret',
  'apiKey',
  'headers.authorization',
  'headers.cookie',
  'req.headers.authorization',
  'req.headers.cookie',
  'body.password',
  'input.secret',
  'answer.key',
];

describe('createLogger', () => {
  const processes = useProcesses();

  async function logLines(calls: string): Promise<string> {
    const program = `
      import { createLogger } from './shared/platform/logger.ts';
      const log = createLogger({ level: 'trace', name: 'test', pretty: false });
      ${calls}`;
    const { code, output } = await processes.run({ command: scriptCommand('-e', program) });
    expect(code, output).to.equal(0);
    return output;
  }

  const positions = Object.keys(POSITIONS);
  let lines: string[];

  before(async () => {
    const calls = Object.values(SHAPED).flatMap(({ text }) =>
      Object.values(POSITIONS).map((call) => `{ const text = ${JSON.stringify(text)}; ${call}; }`),
    );
    lines = (await logLines(calls.join('\n'))).trim().split('\n');
    expect(lines).to.have.length(calls.length);
  });

  Object.entries(SHAPED).forEach(([name, { secret }], nth) => {
    it(`never prints the ${name}, wherever it stands`, () => {
      const own = lines.slice(nth * positions.length, (nth + 1) * positions.length);
      for (const [index, position] of positions.entries()) {
        expect(own[index], position).to.not.include(secret);
        expect(own[index], `${position}: the line tells that something was here`).to.include('[redacted]');
        expect(() => JSON.parse(own[index] as string), `${position}: still one JSON line`).to.not.throw();
      }
    });
  });

  it('never prints the value of a member that is secret by its name', async () => {
    const nested = (path: string) =>
      path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), `hidden-${path}-value`);
    const output = await logLines(
      NAMED.map((path) => `log.info(${JSON.stringify(nested(path))}, 'm');`).join('\n'),
    );
    const named = output.trim().split('\n');
    expect(named).to.have.length(NAMED.length);
    for (const [index, path] of NAMED.entries()) {
      expect(named[index], path).to.not.include('hidden-');
      expect(named[index], path).to.include('[redacted]');
    }
  });

  it('writes JSON lines with an ISO time, a level and the name of the process', async () => {
    const line = JSON.parse(await logLines("log.info({ requestId: 'r-1', ms: 1.5 }, 'request')"));
    expect(line).to.include({ level: 30, name: 'test', requestId: 'r-1', ms: 1.5, msg: 'request' });
    expect(line.time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

describe('redactText', () => {
  it('leaves text without a secret as it is', () => {
    for (const text of [
      'postgres://localhost:5432/tow',
      'a tk_live_ prefix',
      'https://example.com:8080/a@b',
      'bearer of news',
      '',
    ]) {
      expect(redactText(text)).to.equal(text);
    }
    const harmless = fc
      .stringMatching(/^[ -9;-~]*$/)
      .filter((text) => !/tk_|whsec_|whsk_|bearer/i.test(text));
    fc.assert(fc.property(harmless, (text) => redactText(text) === text));
  });

  it('masks every secret of a text, not only the first', () => {
    const all = Object.values(SHAPED);
    const masked = redactText(all.map(({ text }) => text).join(' , '));
    for (const { secret } of all) expect(masked).to.not.include(secret);
  });
});

describe('redactPath', () => {
  it('masks a link that begins in the logged part of a path and ends behind it', () => {
    const token = 'x1Y_'.repeat(20);
    for (let start = 0; start < 200; start += 1) {
      const path = redactPath(`/${'a'.repeat(start)}/i/${token}/pdf`);
      expect(path.length).to.be.at.most(200);
      expect(path, path).to.not.include('x1Y_');
    }
  });

  it('keeps the beginning of a long path', () => {
    expect(redactPath(`/v1/${'a.'.repeat(32 * 1024)}`)).to.equal(`/v1/${'a.'.repeat(98)}`);
  });
});
