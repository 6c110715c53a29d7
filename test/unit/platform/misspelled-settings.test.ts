import { expect } from 'chai';
import { loadConfig } from '../../../shared/config/config.js';
import { findMisspelledSettings } from '../../../shared/config/misspelled-settings.js';

const SECRET_KEY = 'a secret key that is long enough for anybody';

describe('findMisspelledSettings', () => {
  for (const [wrong, meant] of [
    ['WRITES_CONCURENCY', 'WRITES_CONCURRENCY'],
    ['WRITE_CONCURRENCY', 'WRITES_CONCURRENCY'],
    ['WEBHOOKS_TIMEOUT_MS', 'WEBHOOK_TIMEOUT_MS'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['REIDS_URL', 'REDIS_URL'],
    ['SECRETKEY', 'SECRET_KEY'],
    ['STROAGE_URL', 'STORAGE_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['log_level', 'LOG_LEVEL'],
  ] as const) {
    it(`${wrong} is reported with ${meant} as the intended setting`, () => {
      expect(findMisspelledSettings({ [wrong]: 'x' })).to.deep.equal([
        `${wrong} is not a setting: did you mean ${meant}?`,
      ]);
    });
  }

  it('variables of shells, npm, containers and platforms are not reported', () => {
    const unrelatedNames = [
      'PATH',
      'HOME',
      'HOSTNAME',
      'HOSTTYPE',
      'PWD',
      'OLDPWD',
      'USER',
      'LOGNAME',
      'SHELL',
      'TERM',
      'LANG',
      'LC_ALL',
      'TZ',
      'TMPDIR',
      'EDITOR',
      'PAGER',
      'MAIL',
      'POST',
      'DISPLAY',
      'SHLVL',
      '_',
      'CI',
      'DEBUG',
      'DYNO',
      'PS1',
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'NO_PROXY',
      'http_proxy',
      'XDG_DATA_DIRS',
      'XDG_DATA_HOME',
      'XDG_RUNTIME_DIR',
      'NODE_OPTIONS',
      'NODE_PATH',
      'NODE_VERSION',
      'NODE_NAME',
      'NODE_EXTRA_CA_CERTS',
      'NVM_DIR',
      'npm_config_cache',
      'npm_package_name',
      'npm_lifecycle_event',
      'npm_config_loglevel',
      'INIT_CWD',
      'COLOR',
      'YARN_VERSION',
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_DEFAULT_REGION',
      'AWS_PROFILE',
      'AWS_SESSION_TOKEN',
      'PGHOST',
      'PGPORT',
      'PGUSER',
      'PGPASSWORD',
      'PGDATABASE',
      'POSTGRES_USER',
      'REDIS_TLS_URL',
      'REDIS_HOST',
      'KUBERNETES_SERVICE_HOST',
      'KUBERNETES_PORT',
      'POD_NAME',
      'POD_IP',
      'SERVICE_NAME',
      'SOURCE_VERSION',
      'OTEL_SERVICE_NAME',
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'SECRET_KEY_BASE',
      'RENDER_EXTERNAL_URL',
      'RAILWAY_STATIC_URL',
      'PUBLIC_URL',
      'DATABASE_PUBLIC_URL',
      'DATABASE_PRIVATE_URL',
      'TEST_WAY',
      'TEST_LOG_LEVEL',
      'TEST_SUPERUSER_URL',
      'SUDO_USER',
      'SSH_AUTH_SOCK',
      'JAVA_HOME',
      'GOPATH',
    ];
    const environment = Object.fromEntries(unrelatedNames.map((name) => [name, 'x']));
    expect(findMisspelledSettings(environment)).to.deep.equal([]);
  });

  it('a name is not reported if the intended setting is set too, as REDIS_URI beside REDIS_URL', () => {
    const both = { REDIS_URI: 'redis://localhost', REDIS_URL: 'redis://localhost:6379' };
    expect(findMisspelledSettings(both)).to.deep.equal([]);
  });

  it('misspelled settings are among the warnings of the configuration, which each process logs', () => {
    const { warnings } = loadConfig('all', { SECRET_KEY, WRITES_CONCURENCY: '9' });
    expect(warnings).to.deep.equal(['WRITES_CONCURENCY is not a setting: did you mean WRITES_CONCURRENCY?']);
  });
});
