import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { ConfigError, loadConfig } from '../../../shared/config/config.js';
import type { ProcessKind } from '../../../shared/config/config-contradictions.js';
import { settingsSchema } from '../../../shared/config/settings.js';

const SECRET = 'a secret key that is long enough for anybody';
const DATABASE_URL = 'postgres://tow:secret@localhost:5432/tow';
const REDIS_URL = 'redis://localhost:6379';
const COMPLETE = { DATABASE_URL, REDIS_URL, SECRET_KEY: SECRET };
const PRODUCTION = {
  ...COMPLETE,
  NODE_ENV: 'production',
  SECRET_KEY: randomBytes(48).toString('base64'),
  BASE_URL: 'https://api.example.com',
};

type Environment = Record<string, string>;

/** Returns the problems of a configuration, or an empty list if the configuration is valid. */
function findConfigProblems(kind: ProcessKind, environment: Environment): string[] {
  try {
    loadConfig(kind, { SECRET_KEY: SECRET, ...environment });
    return [];
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
}

describe('loadConfig', () => {
  it('loadConfig needs only a secret and applies the published defaults', () => {
    const config = loadConfig('all', { SECRET_KEY: SECRET });
    expect(config).to.deep.include({
      production: false,
      host: '127.0.0.1',
      port: 3000,
      dataDir: resolve('.data'),
      databaseUrl: undefined,
      redis: undefined,
      baseUrl: undefined,
      badCredentialsPerMinute: 300,
      writeTimeoutMs: 10_000,
      allowLoopback: true,
      trustProxy: false,
      logLevel: 'info',
      demo: true,
      tracing: false,
    });
    expect(config.tiers).to.deep.equal({
      starter: { minute: 60, hour: 1000 },
      standard: { minute: 300, hour: 5000 },
      premium: { minute: 1000, hour: 20_000 },
    });
    expect(config.failpoints.size).to.equal(0);
  });

  it('loadConfig treats an empty setting as absent', () => {
    expect(loadConfig('all', { SECRET_KEY: SECRET, PORT: '', DATABASE_URL: '' })).to.include({
      port: 3000,
      databaseUrl: undefined,
    });
  });

  it('loadConfig ignores unrelated environment variables', () => {
    expect(findConfigProblems('all', { PATH: '/bin', npm_config_port: 'x' })).to.deep.equal([]);
  });

  it('loadConfig converts numbers, booleans and URLs', () => {
    const config = loadConfig('all', {
      ...COMPLETE,
      PORT: '0',
      TRUST_PROXY: 'true',
      DEMO: 'false',
      BASE_URL: 'https://api.example.com//',
    });
    expect(config).to.include({ port: 0, trustProxy: true, demo: false, baseUrl: 'https://api.example.com' });
  });

  it('loadConfig returns a frozen object', () => {
    expect(Object.isFrozen(loadConfig('all', { SECRET_KEY: SECRET }))).to.equal(true);
  });

  it('loadConfig reports all problems together, each with its setting and a valid example', () => {
    const wrong: Environment = {
      NODE_ENV: 'staging',
      PORT: '99999',
      DATABASE_URL: 'mysql://localhost/tow',
      REDIS_URL: 'localhost:6379',
      BASE_URL: 'api.example.com',
      SMTP_URL: 'smtp.example.com',
      MAIL_FROM: 'nobody',
      SECRET_KEY: 'short',
      STORAGE_URL: 'gs://exports',
      S3_ENDPOINT: 'minio:9000',
      AWS_REGION: 'eu central',
      RATE_LIMIT_TIERS: '{"gold":{}}',
      BAD_CREDENTIALS_PER_MINUTE: '0',
      WRITE_TIMEOUT_MS: '5',
      DATABASE_POOL_SIZE: 'many',
      WRITES_CONCURRENCY: '0',
      WEBHOOK_ALLOW_LOOPBACK: 'sometimes',
      TRUST_PROXY: 'maybe',
      LOG_LEVEL: 'loud',
      DEMO: 'perhaps',
      FAILPOINTS: 'After Commit',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere',
    };
    const problems = findConfigProblems('all', wrong);
    for (const name of Object.keys(wrong)) {
      const ownProblems = problems.filter((problem) => problem.includes(`"${name}"`));
      expect(ownProblems, name).to.not.deep.equal([]);
      expect(ownProblems[0], name).to.match(new RegExp(`\\(for example ${name}=.+\\)`));
    }
    const message = new ConfigError(problems).message;
    for (const problem of problems) expect(message).to.include(problem);
  });

  it('configuration errors never contain the value of a secret setting', () => {
    const secrets = {
      DATABASE_URL: 'mysql://tow:hunter2pass@db/tow',
      REDIS_URL: 'http://:hunter2pass@redis',
      SMTP_URL: 'http://me:hunter2pass@mail',
      SECRET_KEY: 'hunter2pass',
    };
    expect(findConfigProblems('all', secrets).join('\n')).to.not.include('hunter2pass');
  });

  it('every setting has a description and a valid example', () => {
    const { keys } = settingsSchema.describe() as {
      keys: Record<string, { flags?: { description?: string }; examples?: unknown[] }>;
    };
    for (const [name, { flags, examples }] of Object.entries(keys)) {
      expect(flags?.description, `${name} has a description`).to.be.a('string');
      expect(examples?.[0], `${name} has an example`).to.not.equal(undefined);
      if (name === 'SECRET_KEY') continue;
      const { error } = settingsSchema.validate({ [name]: String(examples?.[0]) });
      expect(error?.message, name).to.equal(undefined);
    }
  });
});

describe('contradictory settings', () => {
  for (const kind of ['web', 'worker'] as const) {
    it(`a ${kind} process without REDIS_URL is refused with the reason`, () => {
      const problems = findConfigProblems(kind, { DATABASE_URL });
      expect(problems).to.have.length(1);
      expect(problems[0])
        .to.include('"REDIS_URL" is required')
        .and.to.include('npm start')
        .and.to.include('for example REDIS_URL=redis://');
    });
  }

  it('web, worker and release processes, and any process with Redis, need DATABASE_URL', () => {
    for (const [kind, environment] of [
      ['web', { REDIS_URL }],
      ['worker', { REDIS_URL }],
      ['release', {}],
      ['all', { REDIS_URL }],
    ] as const) {
      expect(findConfigProblems(kind, environment).join(), kind).to.include('"DATABASE_URL" is required');
      expect(findConfigProblems(kind, { ...environment, REDIS_URL, DATABASE_URL }), kind).to.deep.equal([]);
    }
  });

  it('production requires a SECRET_KEY and refuses failpoints', () => {
    expect(findConfigProblems('all', { NODE_ENV: 'production', SECRET_KEY: '' }).join()).to.include(
      '"SECRET_KEY" is required in production',
    );
    expect(
      findConfigProblems('all', { NODE_ENV: 'production', FAILPOINTS: 'after_commit' }).join(),
    ).to.include('"FAILPOINTS" is refused');
    expect(findConfigProblems('all', { FAILPOINTS: 'after_commit' })).to.deep.equal([]);
  });

  for (const kind of ['all', 'release', 'web', 'worker', 'cli'] as const) {
    it(`in production a ${kind} process needs an https BASE_URL`, () => {
      expect(findConfigProblems(kind, PRODUCTION)).to.deep.equal([]);
      expect(findConfigProblems(kind, { ...PRODUCTION, BASE_URL: '' })).to.deep.equal([
        '"BASE_URL" is required in production (for example BASE_URL=https://api.example.com)',
      ]);
      expect(findConfigProblems(kind, { ...PRODUCTION, BASE_URL: 'http://api.example.com' })).to.deep.equal([
        '"BASE_URL" must begin with https:// in production (for example BASE_URL=https://api.example.com)',
      ]);
    });
  }

  it('a guessable SECRET_KEY is refused: phrases in production only, repetitions everywhere', () => {
    const findSecretProblem = (SECRET_KEY: string, NODE_ENV = 'production') =>
      findConfigProblems('all', { ...PRODUCTION, NODE_ENV, SECRET_KEY }).join();
    for (const secret of ['a'.repeat(40), 'change-me-'.repeat(4), 'x1'.repeat(20), 'secret'.repeat(6)]) {
      expect(findSecretProblem(secret), secret).to.match(
        /^"SECRET_KEY" is too easy to guess.*about \d+ bits.*90 are needed/,
      );
      expect(findSecretProblem(secret), secret).to.include('openssl rand -base64 48').and.not.include(secret);
      expect(findSecretProblem(secret, 'development'), secret).to.include('20 are needed');
    }
    expect(findSecretProblem(SECRET)).to.include('"SECRET_KEY" is too easy to guess');
    expect(findSecretProblem(SECRET, 'development')).to.equal('');
    expect(findSecretProblem('short'), 'only one problem').to.not.include('too easy');
  });

  it('production never delivers webhooks to loopback and refuses WEBHOOK_ALLOW_LOOPBACK', () => {
    expect(findConfigProblems('worker', { ...PRODUCTION, WEBHOOK_ALLOW_LOOPBACK: 'true' }).join()).to.include(
      '"WEBHOOK_ALLOW_LOOPBACK" is refused in production',
    );
    for (const WEBHOOK_ALLOW_LOOPBACK of ['', 'false']) {
      expect(loadConfig('worker', { ...PRODUCTION, WEBHOOK_ALLOW_LOOPBACK }).allowLoopback).to.equal(false);
    }
    expect(loadConfig('worker', COMPLETE).allowLoopback).to.equal(true);
    expect(loadConfig('worker', { ...COMPLETE, WEBHOOK_ALLOW_LOOPBACK: 'false' }).allowLoopback).to.equal(
      false,
    );
  });

  it('SMTP_URL needs a MAIL_FROM or a BASE_URL with a domain; workers and production need a BASE_URL', () => {
    const SMTP_URL = 'smtp://localhost:25';
    const MAIL_FROM = 'invoices@example.com';
    expect(findConfigProblems('all', { SMTP_URL }).join()).to.include('"MAIL_FROM" is required');
    expect(findConfigProblems('all', { SMTP_URL, BASE_URL: 'http://10.0.0.1:3000' }).join()).to.include(
      'MAIL_FROM',
    );
    expect(findConfigProblems('all', { SMTP_URL, MAIL_FROM })).to.deep.equal([]);
    const stores = { DATABASE_URL, REDIS_URL, SMTP_URL, MAIL_FROM };
    expect(findConfigProblems('worker', stores).join()).to.include('"BASE_URL" is required');
    expect(findConfigProblems('all', { ...stores, NODE_ENV: 'production' }).join()).to.include(
      '"BASE_URL" is required',
    );
    const BASE_URL = 'https://api.example.com';
    expect(findConfigProblems('worker', { ...stores, BASE_URL })).to.deep.equal([]);
    expect(findConfigProblems('all', { MAIL_FROM }).join()).to.include(
      '"MAIL_FROM" is set without "SMTP_URL"',
    );
    const config = loadConfig('all', { SECRET_KEY: SECRET, SMTP_URL, BASE_URL });
    expect(config).to.include({ smtpUrl: SMTP_URL, mailFrom: 'invoices@api.example.com' });
  });

  it('sign-up is closed in production unless set, and needs a mail server there', () => {
    expect(loadConfig('all', { SECRET_KEY: SECRET }).signUp.mode).to.equal('open');
    expect(loadConfig('all', PRODUCTION).signUp.mode).to.equal('closed');
    for (const SIGNUP of ['invite', 'open']) {
      const problems = findConfigProblems('all', { ...PRODUCTION, SIGNUP });
      expect(problems.join()).to.include('"SMTP_URL" is required with "SIGNUP"');
    }
    expect(findConfigProblems('all', { ...PRODUCTION, SIGNUP: 'closed' })).to.deep.equal([]);
    expect(findConfigProblems('all', { SIGNUP: 'everybody' }).join()).to.include('SIGNUP');
  });

  it("customer links use BASE_URL, else the web process, never a worker's health port", () => {
    const getPublicUrl = (kind: ProcessKind, environment: Environment) =>
      loadConfig(kind, { ...COMPLETE, ...environment }).publicUrl;
    expect(getPublicUrl('worker', { PORT: '9999' })).to.equal('http://127.0.0.1:3000');
    expect(getPublicUrl('all', { PORT: '8080', HOST: '0.0.0.0' })).to.equal('http://127.0.0.1:8080');
    expect(getPublicUrl('web', { BASE_URL: 'https://t.example.com/' })).to.equal('https://t.example.com');
  });

  it('WRITES_CONCURRENCY must be smaller than DATABASE_POOL_SIZE', () => {
    expect(findConfigProblems('all', { WRITES_CONCURRENCY: '4', DATABASE_POOL_SIZE: '4' }).join()).to.include(
      '"WRITES_CONCURRENCY" must be smaller',
    );
    expect(findConfigProblems('all', { WRITES_CONCURRENCY: '3', DATABASE_POOL_SIZE: '4' })).to.deep.equal([]);
  });

  it('a contradiction is reported together with invalid settings', () => {
    expect(findConfigProblems('worker', { DATABASE_URL, PORT: 'x' })).to.have.length(2);
  });
});

describe('DEMO setting', () => {
  it('the demo is on by default only in the all-in-one process outside production', () => {
    expect(loadConfig('all', COMPLETE).demo).to.equal(true);
    expect(loadConfig('all', PRODUCTION).demo).to.equal(false);
    for (const kind of ['web', 'worker', 'release', 'cli'] as const)
      expect(loadConfig(kind, COMPLETE).demo, kind).to.equal(false);
    expect(loadConfig('web', { ...COMPLETE, DEMO: 'true' }).demo).to.equal(true);
  });
});

describe('RATE_LIMIT_TIERS', () => {
  it('RATE_LIMIT_TIERS replaces the named tiers and keeps the defaults of the others', () => {
    const { tiers } = loadConfig('all', {
      SECRET_KEY: SECRET,
      RATE_LIMIT_TIERS: '{"standard":{"minute":7,"hour":8}}',
    });
    expect(tiers.standard).to.deep.equal({ minute: 7, hour: 8 });
    expect(tiers.premium).to.deep.equal({ minute: 1000, hour: 20_000 });
  });

  for (const text of [
    'not json',
    '[]',
    '7',
    'null',
    '{"standard":{"minute":1}}',
    '{"standard":{"minute":0,"hour":1}}',
    '{"standard":{"minute":"9","hour":9}}',
    '{"gold":{"minute":1,"hour":1}}',
  ]) {
    it(`RATE_LIMIT_TIERS refuses ${text}`, () => {
      expect(findConfigProblems('all', { RATE_LIMIT_TIERS: text }).join()).to.include('RATE_LIMIT_TIERS');
    });
  }
});

describe('generated development secret', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tow-config-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('the secret is generated once, shared through DATA_DIR and readable only by its owner', () => {
    const folder = join(dataDir, 'new', 'folder');
    const first = loadConfig('all', { DATA_DIR: folder }).secretKey;
    expect(first.length).to.be.at.least(32);
    expect(loadConfig('all', { DATA_DIR: folder }).secretKey).to.equal(first);
    expect(readFileSync(join(folder, 'secret-key'), 'utf8')).to.equal(first);
    expect(statSync(join(folder, 'secret-key')).mode & 0o077).to.equal(0);
    expect(loadConfig('all', { DATA_DIR: dataDir }).secretKey).to.not.equal(first);
  });

  it('no secret is generated when SECRET_KEY is set', () => {
    expect(loadConfig('all', { DATA_DIR: dataDir, SECRET_KEY: SECRET }).secretKey).to.equal(SECRET);
    expect(existsSync(join(dataDir, 'secret-key'))).to.equal(false);
  });
});
