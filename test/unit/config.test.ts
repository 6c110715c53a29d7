import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { ConfigError, loadConfig } from '../../shared/platform/config.js';
import type { ProcessKind } from '../../shared/platform/config-contradictions.js';
import { settingsSchema } from '../../shared/platform/settings.js';

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

/** The faults that an environment is refused for; empty: it is accepted. */
function faultsOf(kind: ProcessKind, environment: Environment): string[] {
  try {
    loadConfig(kind, { SECRET_KEY: SECRET, ...environment });
    return [];
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).faults;
  }
}

describe('loadConfig', () => {
  it('runs on nothing but a secret, with the published defaults', () => {
    const config = loadConfig('all', { SECRET_KEY: SECRET });
    expect(config).to.deep.include({
      production: false,
      host: '127.0.0.1',
      port: 3000,
      dataDir: resolve('.data'),
      databaseUrl: undefined,
      redisUrl: undefined,
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

  it('takes an empty setting for one that is not there', () => {
    expect(loadConfig('all', { SECRET_KEY: SECRET, PORT: '', DATABASE_URL: '' })).to.include({
      port: 3000,
      databaseUrl: undefined,
    });
  });

  it('ignores what is no setting of ours', () => {
    expect(faultsOf('all', { PATH: '/bin', npm_config_port: 'x' })).to.deep.equal([]);
  });

  it('converts numbers, flags and addresses', () => {
    const config = loadConfig('all', {
      ...COMPLETE,
      PORT: '0',
      TRUST_PROXY: 'true',
      DEMO: 'false',
      BASE_URL: 'https://api.example.com//',
    });
    expect(config).to.include({ port: 0, trustProxy: true, demo: false, baseUrl: 'https://api.example.com' });
  });

  it('is frozen: nobody changes a setting at run time', () => {
    expect(Object.isFrozen(loadConfig('all', { SECRET_KEY: SECRET }))).to.equal(true);
  });

  it('lists all faults at once, each with its name and an example of a good value', () => {
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
    const faults = faultsOf('all', wrong);
    for (const name of Object.keys(wrong)) {
      const own = faults.filter((fault) => fault.includes(`"${name}"`));
      expect(own, name).to.not.deep.equal([]);
      expect(own[0], name).to.match(new RegExp(`\\(for example ${name}=.+\\)`));
    }
    const message = new ConfigError(faults).message;
    for (const fault of faults) expect(message).to.include(fault);
  });

  it('never repeats the value of a setting that holds a secret', () => {
    const secrets = {
      DATABASE_URL: 'mysql://tow:hunter2pass@db/tow',
      REDIS_URL: 'http://:hunter2pass@redis',
      SMTP_URL: 'http://me:hunter2pass@mail',
      SECRET_KEY: 'hunter2pass',
    };
    expect(faultsOf('all', secrets).join('\n')).to.not.include('hunter2pass');
  });

  it('describes every setting with an example that it accepts itself', () => {
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

describe('contradictions', () => {
  for (const kind of ['web', 'worker'] as const) {
    it(`a ${kind} process without REDIS_URL is refused and told why`, () => {
      const faults = faultsOf(kind, { DATABASE_URL });
      expect(faults).to.have.length(1);
      expect(faults[0])
        .to.include('"REDIS_URL" is required')
        .and.to.include('npm start')
        .and.to.include('for example REDIS_URL=redis://');
    });
  }

  it('separate processes, a release and a Redis each need a DATABASE_URL', () => {
    for (const [kind, environment] of [
      ['web', { REDIS_URL }],
      ['worker', { REDIS_URL }],
      ['release', {}],
      ['all', { REDIS_URL }],
    ] as const) {
      expect(faultsOf(kind, environment).join(), kind).to.include('"DATABASE_URL" is required');
      expect(faultsOf(kind, { ...environment, REDIS_URL, DATABASE_URL }), kind).to.deep.equal([]);
    }
  });

  it('production requires a SECRET_KEY and refuses failpoints', () => {
    expect(faultsOf('all', { NODE_ENV: 'production', SECRET_KEY: '' }).join()).to.include(
      '"SECRET_KEY" is required in production',
    );
    expect(faultsOf('all', { NODE_ENV: 'production', FAILPOINTS: 'after_commit' }).join()).to.include(
      '"FAILPOINTS" is refused',
    );
    expect(faultsOf('all', { FAILPOINTS: 'after_commit' })).to.deep.equal([]);
  });

  for (const kind of ['all', 'release', 'web', 'worker', 'cli'] as const) {
    it(`production requires an https BASE_URL of a ${kind} process`, () => {
      expect(faultsOf(kind, PRODUCTION)).to.deep.equal([]);
      expect(faultsOf(kind, { ...PRODUCTION, BASE_URL: '' })).to.deep.equal([
        '"BASE_URL" is required in production (for example BASE_URL=https://api.example.com)',
      ]);
      expect(faultsOf(kind, { ...PRODUCTION, BASE_URL: 'http://api.example.com' })).to.deep.equal([
        '"BASE_URL" must begin with https:// in production (for example BASE_URL=https://api.example.com)',
      ]);
    });
  }

  it('refuses a SECRET_KEY that is easy to guess: a phrase in production alone, a repetition everywhere', () => {
    const faultOf = (SECRET_KEY: string, NODE_ENV = 'production') =>
      faultsOf('all', { ...PRODUCTION, NODE_ENV, SECRET_KEY }).join();
    for (const secret of ['a'.repeat(40), 'change-me-'.repeat(4), 'x1'.repeat(20), 'secret'.repeat(6)]) {
      expect(faultOf(secret), secret).to.match(
        /^"SECRET_KEY" is too easy to guess.*about \d+ bits.*90 are needed/,
      );
      expect(faultOf(secret), secret).to.include('openssl rand -base64 48').and.not.include(secret);
      expect(faultOf(secret, 'development'), secret).to.include('20 are needed');
    }
    expect(faultOf(SECRET)).to.include('"SECRET_KEY" is too easy to guess');
    expect(faultOf(SECRET, 'development')).to.equal('');
    expect(faultOf('short'), 'one fault alone').to.not.include('too easy');
  });

  it('production never lets a webhook go to this machine, and refuses the setting that asks for it', () => {
    expect(faultsOf('worker', { ...PRODUCTION, WEBHOOK_ALLOW_LOOPBACK: 'true' }).join()).to.include(
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

  it('a mail server needs a sender whose domain is real, and an address that its links lead to', () => {
    const SMTP_URL = 'smtp://localhost:25';
    const MAIL_FROM = 'invoices@example.com';
    expect(faultsOf('all', { SMTP_URL }).join()).to.include('"MAIL_FROM" is required');
    expect(faultsOf('all', { SMTP_URL, BASE_URL: 'http://10.0.0.1:3000' }).join()).to.include('MAIL_FROM');
    expect(faultsOf('all', { SMTP_URL, MAIL_FROM })).to.deep.equal([]);
    const stores = { DATABASE_URL, REDIS_URL, SMTP_URL, MAIL_FROM };
    expect(faultsOf('worker', stores).join()).to.include('"BASE_URL" is required');
    expect(faultsOf('all', { ...stores, NODE_ENV: 'production' }).join()).to.include(
      '"BASE_URL" is required',
    );
    const BASE_URL = 'https://api.example.com';
    expect(faultsOf('worker', { ...stores, BASE_URL })).to.deep.equal([]);
    expect(faultsOf('all', { MAIL_FROM }).join()).to.include('"MAIL_FROM" is set without "SMTP_URL"');
    const config = loadConfig('all', { SECRET_KEY: SECRET, SMTP_URL, BASE_URL });
    expect(config).to.include({ smtpUrl: SMTP_URL, mailFrom: 'invoices@api.example.com' });
  });

  it("links to customers lead to BASE_URL, else to the web process, never to a worker's health port", () => {
    const urlOf = (kind: ProcessKind, environment: Environment) =>
      loadConfig(kind, { ...COMPLETE, ...environment }).publicUrl;
    expect(urlOf('worker', { PORT: '9999' })).to.equal('http://127.0.0.1:3000');
    expect(urlOf('all', { PORT: '8080', HOST: '0.0.0.0' })).to.equal('http://127.0.0.1:8080');
    expect(urlOf('web', { BASE_URL: 'https://t.example.com/' })).to.equal('https://t.example.com');
  });

  it('a worker that would use up the pool it stands on is refused', () => {
    expect(faultsOf('all', { WRITES_CONCURRENCY: '4', DATABASE_POOL_SIZE: '4' }).join()).to.include(
      '"WRITES_CONCURRENCY" must be smaller',
    );
    expect(faultsOf('all', { WRITES_CONCURRENCY: '3', DATABASE_POOL_SIZE: '4' })).to.deep.equal([]);
  });

  it('tells a contradiction beside the other faults, not after they are mended', () => {
    expect(faultsOf('worker', { DATABASE_URL, PORT: 'x' })).to.have.length(2);
  });
});

describe('the demo', () => {
  it('is on in the all-in-one way, and off in production and everywhere else unless asked for', () => {
    expect(loadConfig('all', COMPLETE).demo).to.equal(true);
    expect(loadConfig('all', PRODUCTION).demo).to.equal(false);
    for (const kind of ['web', 'worker', 'release', 'cli'] as const)
      expect(loadConfig(kind, COMPLETE).demo, kind).to.equal(false);
    expect(loadConfig('web', { ...COMPLETE, DEMO: 'true' }).demo).to.equal(true);
  });
});

describe('RATE_LIMIT_TIERS', () => {
  it('replaces the tiers it names and leaves the published limits of the others', () => {
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
    it(`refuses ${text}`, () => {
      expect(faultsOf('all', { RATE_LIMIT_TIERS: text }).join()).to.include('RATE_LIMIT_TIERS');
    });
  }
});

describe('the secret of a development machine', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tow-config-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is made once, shared by the processes beside each other, and readable by its owner only', () => {
    const folder = join(dataDir, 'new', 'folder');
    const first = loadConfig('all', { DATA_DIR: folder }).secretKey;
    expect(first.length).to.be.at.least(32);
    expect(loadConfig('all', { DATA_DIR: folder }).secretKey).to.equal(first);
    expect(readFileSync(join(folder, 'secret-key'), 'utf8')).to.equal(first);
    expect(statSync(join(folder, 'secret-key')).mode & 0o077).to.equal(0);
    expect(loadConfig('all', { DATA_DIR: dataDir }).secretKey).to.not.equal(first);
  });

  it('is not made when a SECRET_KEY is given', () => {
    expect(loadConfig('all', { DATA_DIR: dataDir, SECRET_KEY: SECRET }).secretKey).to.equal(SECRET);
    expect(existsSync(join(dataDir, 'secret-key'))).to.equal(false);
  });
});
