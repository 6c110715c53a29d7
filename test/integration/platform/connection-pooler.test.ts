import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../../shared/config/config.js';
import { isConnectionError } from '../../../shared/platform/errors.js';
import { assertDirectConnection } from '../../../shared/platform/postgres/pooler.js';
import { buildBundledCommand, bundlePrograms } from '../../support/bundles/bundle-programs.js';
import { PROJECT } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { createDatabase, getFreePort } from '../../support/stores.js';

/** Debian installs pgbouncer in /usr/sbin, which is not in every PATH. */
const PATH = `${process.env.PATH}:/usr/sbin`;

const hasPgBouncer = () => spawnSync('pgbouncer', ['--version'], { env: { PATH } }).status === 0;

interface Pooler {
  url: string;
  stop: () => void;
}

async function startPgBouncer(databaseUrl: string, settings: string): Promise<Pooler> {
  const { username, password, hostname, port, pathname } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'tow-pooler-'));
  const listenPort = await getFreePort();
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${decodeURIComponent(password)}"\n`);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users.txt')}
${settings}
`,
  );
  // PgBouncer refuses to run as root, so the test runs it as the user `nobody`.
  chmodSync(folder, 0o755);
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child: ChildProcess = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
    env: { PATH },
    ...asNobody,
  });
  await eventually('pgbouncer listens', () => isListening(listenPort));
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${listenPort}${pathname}`,
    stop: () => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

const catchRefusal = (url: string) =>
  assertDirectConnection(url).then(
    () => undefined,
    (error: unknown) => error,
  );

const MODES: [string, string, RegExp][] = [
  ['in transaction mode with the default settings', 'pool_mode = transaction', /refuses the session's role/],
  [
    'in transaction mode that ignores the options of a session',
    'pool_mode = transaction\nignore_startup_parameters = options,extra_float_digits',
    /drops the session's role/,
  ],
  ['in session mode', 'pool_mode = session', /refuses the session's role/],
];

describe('PgBouncer in front of PostgreSQL', function () {
  this.timeout(120_000);
  let databaseUrl: string;

  before(async function () {
    if (!hasPgBouncer()) {
      if (process.env.CI) throw new Error('these tests need pgbouncer on PATH');
      process.stderr.write('skipped: these tests need pgbouncer on PATH\n');
      this.skip();
    }
    databaseUrl = await createDatabase();
  });

  for (const [mode, settings, reason] of MODES) {
    it(`assertDirectConnection refuses PgBouncer ${mode} and names the remedy`, async () => {
      const pooler = await startPgBouncer(databaseUrl, settings);
      try {
        const refusal = await catchRefusal(pooler.url);
        expect(refusal).to.be.instanceOf(ConfigError);
        // If the error looked like a connection error, the process would wait for PostgreSQL
        // instead of refusing to start.
        expect(isConnectionError(refusal)).to.equal(false);
        expect((refusal as Error).message)
          .to.match(reason)
          .and.match(/Name PostgreSQL's own host and port/);
      } finally {
        pooler.stop();
      }
    });
  }

  const processes: [string, [program: string, ...args: string[]]][] = [
    ['web', ['api/server.ts']],
    ['mcp', ['mcp/server.ts']],
    ['a worker', ['workers/main.ts', 'clock']],
    ['npm start', ['bin/start.ts']],
    ['release', ['bin/release.ts']],
    ['tow migrate', ['bin/tow.ts', 'migrate']],
    ['tow doctor', ['bin/tow.ts', 'doctor']],
  ];
  it('every process of the Procfile and of the command line ends with the PgBouncer error and no stack trace', async function () {
    this.timeout(180_000);
    bundlePrograms(processes.map(([, [program]]) => program));
    const pooler = await startPgBouncer(databaseUrl, 'pool_mode = transaction');
    try {
      for (const [name, args] of processes) {
        const [, ...bundledArgs] = buildBundledCommand(...args);
        const { status, stdout, stderr } = await runToEnd(bundledArgs, pooler.url);
        expect(status, name).to.be.above(0);
        expect(`${stdout}${stderr}`, name).to.match(/connection pooler such as PgBouncer/);
        expect(`${stdout}${stderr}`, name).to.not.match(/^\s+at /m);
      }
    } finally {
      pooler.stop();
    }
  });

  it('assertDirectConnection accepts a direct connection and does not mistake an unreachable server for a pooler', async () => {
    expect(await catchRefusal(databaseUrl)).to.equal(undefined);
    const unreachable = new URL(databaseUrl);
    unreachable.port = `${await getFreePort()}`;
    expect(isConnectionError(await catchRefusal(unreachable.href))).to.equal(true);
  });
});

function runToEnd(
  args: string[],
  databaseUrl: string,
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: PROJECT,
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        REDIS_URL: 'redis://127.0.0.1:1',
        PORT: '0',
        SECRET_KEY: 'a secret of the tests, long enough for the schema',
        LOG_LEVEL: 'fatal',
      },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    child.once('close', (status) => {
      clearTimeout(timer);
      resolve({ status, stdout, stderr });
    });
  });
}
