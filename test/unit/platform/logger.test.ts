import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { deriveKey } from '../../../shared/platform/crypto.js';
import { redactPath, redactText } from '../../../shared/platform/logger.js';
import { mintKey } from '../../../shared/resources/api-keys/credential.js';
import { useProcesses } from '../../support/load/processes.js';
import { buildScriptCommand } from '../../support/network/run-script.js';

const sealingKey = deriveKey('a secret key of more than 32 characters', 'credentials');
const base64 = () => randomBytes(24).toString('base64');

/**
 * Texts that the logger must recognize by their shape. The logger must never print the part
 * `secret`.
 */
const SECRETS_BY_SHAPE: Record<string, { text: string; secret: string }> = {
  'live key': withKey('api', 'live'),
  'sandbox key': withKey('api', 'sandbox'),
  'agent key': withKey('agent', 'live'),
  'sandbox agent key': withKey('agent', 'sandbox'),
  'webhook secret': withSecret((secret) => `whsec_${secret}`, base64()),
  'webhook key pair': withSecret((secret) => `whsk_${secret}`, base64()),
  'password of a PostgreSQL address': withSecret(
    (secret) => `postgres://tow:${secret}@db.example.com:5432/tow`,
    'pA55-w0rd%21',
  ),
  'password of a Redis address without a user': withSecret(
    (secret) => `rediss://:${secret}@cache:6380`,
    'r3dis-Secret',
  ),
  'password of sentinels': withSecret(
    (secret) => `redis+sentinel://tow:x@one,two/main?db=1&sentinel_password=${secret}&family=4`,
    's3ntinel-Secret%21',
  ),
  'bearer credential of any shape': withSecret((secret) => `Bearer ${secret}`, 'abc.def-0123456789'),
};

function withKey(kind: 'api' | 'agent', environment: 'live' | 'sandbox') {
  const { key, material } = mintKey(kind, environment, sealingKey);
  return { text: key, secret: key.slice(material.prefix.length) };
}

function withSecret(write: (secret: string) => string, secret: string) {
  return { text: write(secret), secret };
}

/**
 * The calls of the logger, as source code that a child process runs. They cover every way in which
 * a text gets into a log entry.
 */
const LOG_CALLS: Record<string, string> = {
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

const SECRET_MEMBERS = [
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
  'err.command.args',
];

describe('createLogger', () => {
  const processes = useProcesses();

  async function runAndReadLog(calls: string): Promise<string> {
    const program = `
      import { createLogger } from './shared/platform/logger.ts';
      const log = createLogger({ level: 'trace', name: 'test', pretty: false });
      ${calls}`;
    const { code, output } = await processes.run({ command: buildScriptCommand('-e', program) });
    expect(code, output).to.equal(0);
    return output;
  }

  const positions = Object.keys(LOG_CALLS);
  let entries: string[];

  before(async () => {
    const calls = Object.values(SECRETS_BY_SHAPE).flatMap(({ text }) =>
      Object.values(LOG_CALLS).map((call) => `{ const text = ${JSON.stringify(text)}; ${call}; }`),
    );
    entries = (await runAndReadLog(calls.join('\n'))).trim().split('\n');
    expect(entries).to.have.length(calls.length);
  });

  Object.entries(SECRETS_BY_SHAPE).forEach(([name, { secret }], nth) => {
    it(`the logger never prints the ${name}, at any position`, () => {
      const ownEntries = entries.slice(nth * positions.length, (nth + 1) * positions.length);
      for (const [index, position] of positions.entries()) {
        expect(ownEntries[index], position).to.not.include(secret);
        expect(ownEntries[index], `${position}: the entry shows that a text was removed`).to.include(
          '[redacted]',
        );
        expect(
          () => JSON.parse(ownEntries[index] as string),
          `${position}: the entry is still one line of JSON`,
        ).to.not.throw();
      }
    });
  });

  it('the logger never prints the value of a member with a secret name', async () => {
    const nested = (path: string) =>
      path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), `hidden-${path}-value`);
    const output = await runAndReadLog(
      SECRET_MEMBERS.map((path) => `log.info(${JSON.stringify(nested(path))}, 'm');`).join('\n'),
    );
    const named = output.trim().split('\n');
    expect(named).to.have.length(SECRET_MEMBERS.length);
    for (const [index, path] of SECRET_MEMBERS.entries()) {
      expect(named[index], path).to.not.include('hidden-');
      expect(named[index], path).to.include('[redacted]');
    }
  });

  it('the logger prints an error of a lost connection without the connection and its queries', async () => {
    const lost = `Object.assign(new Error('terminated'), { code: '57P01', client: { values: ['Dana'] } })`;
    const errors = [
      lost,
      `Object.assign(new Error('x'), { inner: ${lost} })`,
      `new AggregateError([${lost}])`,
    ];
    const output = await runAndReadLog(errors.map((error) => `log.warn({ err: ${error} }, 'm');`).join('\n'));
    expect(output.match(/57P01/g), 'the code of each error').to.have.length(errors.length);
    expect(output).not.to.match(/"client"|Dana/);
  });

  it('the logger writes one line of JSON per entry, with ISO time, level and process name', async () => {
    const entry = JSON.parse(await runAndReadLog("log.info({ requestId: 'r-1', ms: 1.5 }, 'request')"));
    expect(entry).to.include({ level: 30, name: 'test', requestId: 'r-1', ms: 1.5, msg: 'request' });
    expect(entry.time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});

describe('redactText', () => {
  it('redactText leaves text without a secret unchanged', () => {
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

  it('redactText masks every secret of a text, not only the first', () => {
    const all = Object.values(SECRETS_BY_SHAPE);
    const masked = redactText(all.map(({ text }) => text).join(' , '));
    for (const { secret } of all) expect(masked).to.not.include(secret);
  });
});

describe('redactPath', () => {
  it('redactPath masks a link token that the limit of 200 characters would cut', () => {
    // A driver's link has a longer token than that of an invoice or of a motorist.
    const tokens = { i: 'x1Y_'.repeat(20), t: 'x1Y_'.repeat(20), d: 'x1Y_'.repeat(26) };
    for (const [page, token] of Object.entries(tokens)) {
      for (let start = 0; start < 200; start += 1) {
        const path = redactPath(`/${'a'.repeat(start)}/${page}/${token}/pdf`);
        expect(path.length).to.be.at.most(200);
        expect(path, path).to.not.include('x1Y_');
      }
    }
  });

  it('redactPath masks the tokens of links to join or to set a password', () => {
    const token = 'x1Y'.repeat(14).concat('z');
    for (const [before, after] of [
      ['/app/invitation/', ''],
      ['/v1/invitations/', '/accept'],
      ['/app/password-reset/', ''],
      ['/v1/signup/verify/', ''],
    ])
      expect(redactPath(`${before}${token}${after}`)).to.equal(`${before}[redacted]${after}`);
  });

  it('redactPath keeps the beginning of a long path', () => {
    expect(redactPath(`/v1/${'a.'.repeat(32 * 1024)}`)).to.equal(`/v1/${'a.'.repeat(98)}`);
  });
});
