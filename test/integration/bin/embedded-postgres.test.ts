/** Runs real PostgreSQL servers from the installed programs. */
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { startEmbeddedPostgres } from '../../../bin/embedded-postgres/start.js';
import {
  expectRejection,
  LogRecorder,
  readPostgresState,
  resolveClusterDir,
  runQuery,
  startInChildProcess,
  usePostgresServers,
} from '../../support/load/embedded-postgres-fixture.js';

describe('embedded PostgreSQL', function () {
  this.timeout(120_000);
  const servers = usePostgresServers();

  it('embedded PostgreSQL creates a cluster on the first run and keeps its data, port and passwords', async () => {
    const first = await servers.start();
    await runQuery(first.databaseUrl, 'CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)');
    await first.stop();
    await first.stop();
    const second = await servers.start();
    expect(await runQuery(second.databaseUrl, 'SELECT id FROM kept')).to.deep.equal([{ id: 7 }]);
    expect(second.databaseUrl).to.equal(first.databaseUrl);
    expect(second.superuserUrl).to.equal(first.superuserUrl);
    expect(second.port).to.be.within(20_000, 29_999);
    expect(servers.logEntries).to.deep.equal(['info PostgreSQL is ready']);
  });

  it('embedded PostgreSQL keeps secrets readable by the caller only and leaves no password file', async () => {
    await servers.start();
    expect((await stat(servers.dataDir)).mode & 0o777).to.equal(0o700);
    const file = await stat(path.join(servers.dataDir, 'postgres.json'));
    expect(file.mode & 0o777).to.equal(0o600);
    expect(file.uid).to.equal(process.geteuid?.());
    const cluster = await resolveClusterDir(servers.dataDir);
    const siblings = await readdir(path.dirname(cluster));
    expect(siblings.filter((name) => name.startsWith(`${path.basename(cluster)}.new`))).to.deep.equal([]);
  });

  it('embedded PostgreSQL gives the application an owner role without superuser rights', async () => {
    const { databaseUrl } = await servers.start();
    const [role] = await runQuery(
      databaseUrl,
      `SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcanlogin, rolreplication, rolcreatedb
       FROM pg_roles WHERE rolname = current_user`,
    );
    expect(role).to.deep.equal({
      rolname: 'tow',
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: true,
      rolcanlogin: true,
      rolreplication: false,
      rolcreatedb: false,
    });
    const [database] = await runQuery(
      databaseUrl,
      `SELECT datname, pg_get_userbyid(datdba) AS owner, pg_encoding_to_char(encoding) AS encoding, upper('é') AS up
       FROM pg_database WHERE datname = current_database()`,
    );
    expect(database).to.deep.equal({ datname: 'tow', owner: 'tow', encoding: 'UTF8', up: 'É' });
    await runQuery(databaseUrl, 'CREATE TABLE public.mine (id int); DROP TABLE public.mine');
  });

  it('embedded PostgreSQL runs with full durability, in UTC, on 127.0.0.1 only, and soon analyzes tables that grow', async () => {
    const { databaseUrl, superuserUrl } = await servers.start();
    const names = [
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'listen_addresses',
      'autovacuum_naptime',
    ];
    const settings = await runQuery<{ name: string; setting: string }>(
      superuserUrl,
      `SELECT name, setting FROM pg_settings WHERE name IN ('TimeZone', 'unix_socket_directories',
       'max_connections', 'data_checksums', ${names.map((name) => `'${name}'`).join(',')})`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).to.deep.equal({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      autovacuum_naptime: '10',
      TimeZone: 'UTC',
      unix_socket_directories: '',
      max_connections: '100',
      data_checksums: 'on',
    });
    const wrong = databaseUrl.replace(/:[0-9a-f]{48}@/, ':wrong@');
    expect((await expectRejection(runQuery(wrong, 'SELECT 1'))).message).to.match(
      /password authentication failed/,
    );
  });

  it('embedded PostgreSQL runs in its own session, so that Ctrl-C in the terminal does not reach it', async () => {
    const pid = (await servers.start()).pid();
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ');
    expect(fields?.slice(2, 4)).to.deep.equal([String(pid), String(pid)]);
  });

  it('embedded PostgreSQL uses another port when its own is taken, unless a port was requested', async () => {
    const { port } = await readPostgresState(servers.dataDir);
    const portHolder: Server = createServer().listen(port, '127.0.0.1');
    await once(portHolder, 'listening');
    try {
      const failure = await expectRejection(servers.start(servers.dataDir, port));
      expect(failure.message).to.equal(`port ${port} for PostgreSQL is taken`);
      const server = await servers.start();
      expect(server.port).to.not.equal(port);
      expect((await readPostgresState(servers.dataDir)).port).to.equal(server.port);
      await runQuery(server.databaseUrl, 'SELECT 1');
    } finally {
      portHolder.close();
    }
  });

  it('embedded PostgreSQL refuses a second owner in this and in another process', async () => {
    const server = await servers.start();
    const sameProcess = await expectRejection(
      startEmbeddedPostgres({ dataDir: servers.dataDir, logger: new LogRecorder() }),
    );
    expect(sameProcess.message).to.match(
      new RegExp(`^this process \\(pid ${process.pid}\\) already runs in DATA_DIR `),
    );
    const otherProcess = await expectRejection(startInChildProcess(servers.dataDir));
    expect(otherProcess.message).to.match(
      new RegExp(`another process \\(pid ${process.pid}\\) already runs in DATA_DIR`),
    );
    await runQuery(server.databaseUrl, 'SELECT 1');
  });

  it("an error at the start of embedded PostgreSQL includes the server's log", async () => {
    const cluster = await resolveClusterDir(servers.dataDir);
    const versionFile = path.join(cluster, 'PG_VERSION');
    const version = await readFile(versionFile, 'utf8');
    await writeFile(versionFile, '9\n');
    try {
      const failure = await expectRejection(servers.start());
      expect(failure.message).to.match(
        /did not start \(exit code 1[\s\S]*postgres\.log:[\s\S]*FATAL.*incompatible/,
      );
    } finally {
      await writeFile(versionFile, version);
    }
    expect(await readdir(servers.dataDir)).to.not.include('owner.pid');
    await runQuery((await servers.start()).databaseUrl, 'SELECT 1');
  });

  it('embedded PostgreSQL empties its log at the start when it is over 10 MB', async () => {
    const log = path.join(await resolveClusterDir(servers.dataDir), 'postgres.log');
    await writeFile(log, Buffer.alloc(11 * 1024 * 1024, 'x'));
    await servers.start();
    expect((await stat(log)).size).to.be.lessThan(100_000);
  });

  it('embedded PostgreSQL refuses a broken postgres.json', async () => {
    const file = path.join(servers.dataDir, 'postgres.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, '{');
    expect((await expectRejection(servers.start())).message).to.match(/postgres\.json is not valid JSON/);
    await writeFile(file, text);
  });
});
