/** Kills real PostgreSQL servers and the processes that own them, at different moments. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { computeRestartDelayMs } from '../../../bin/embedded-postgres/server.js';
import {
  listClusterProcesses,
  readPostgresState,
  resolveClusterDir,
  retryUntilSuccess,
  runQuery,
  startInChildProcess,
  stopChild,
  usePostgresServers,
} from '../../support/load/embedded-postgres-fixture.js';

describe('embedded PostgreSQL after a crash', function () {
  this.timeout(120_000);
  const servers = usePostgresServers();

  it('embedded PostgreSQL restarts on the same port after each kill -9 of the postmaster', async () => {
    const server = await servers.start();
    await runQuery(server.databaseUrl, 'CREATE TABLE survived (id int); INSERT INTO survived VALUES (1)');
    for (let round = 0; round < 3; round += 1) {
      const killed = server.pid();
      if (killed === undefined) throw new Error('no server');
      process.kill(killed, 'SIGKILL');
      await retryUntilSuccess(async () => {
        expect(server.pid()).to.be.a('number').and.not.equal(killed);
        expect(await runQuery(server.databaseUrl, 'SELECT id FROM survived')).to.deep.equal([{ id: 1 }]);
      });
    }
    expect(servers.logEntries.filter((line) => line.startsWith('warn'))).to.have.length(3);
  });

  it('embedded PostgreSQL restarts after an immediate shutdown and after a kill while a backend is busy', async () => {
    const server = await servers.start();
    const stopped = server.pid();
    if (stopped === undefined) throw new Error('no server');
    process.kill(stopped, 'SIGQUIT');
    await retryUntilSuccess(() => runQuery(server.databaseUrl, 'SELECT 1'));
    // A busy backend does not notice that the postmaster was killed, and keeps using the shared
    // memory.
    const busy = runQuery(server.databaseUrl, 'SELECT count(*) FROM generate_series(1, 10000000000)').catch(
      (error: unknown) => String(error),
    );
    await retryUntilSuccess(async () => {
      const active = await runQuery(
        server.superuserUrl,
        `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()`,
      );
      expect(active).to.have.length(1);
    });
    const killed = server.pid();
    if (killed === undefined) throw new Error('no server');
    process.kill(killed, 'SIGKILL');
    await retryUntilSuccess(async () => {
      expect(server.pid()).to.not.equal(killed);
      await runQuery(server.databaseUrl, 'SELECT 1');
    });
    expect(await busy).to.match(/terminat|ECONNRESET/);
  });

  it('stopping embedded PostgreSQL leaves no process, even right after a crash', async () => {
    const cluster = await resolveClusterDir(servers.dataDir);
    const server = await servers.start();
    const client = new Client({ connectionString: server.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    expect(await listClusterProcesses(cluster)).to.not.deep.equal([]);
    await server.stop();
    expect(await listClusterProcesses(cluster)).to.deep.equal([]);
    expect(server.pid()).to.equal(undefined);
    await client.end();

    const again = await servers.start();
    const killed = again.pid();
    if (killed === undefined) throw new Error('no server');
    process.kill(killed, 'SIGKILL');
    await again.stop();
    expect(await listClusterProcesses(cluster)).to.deep.equal([]);
    expect(await readdir(servers.dataDir)).to.not.include('owner.pid');
  });

  it("embedded PostgreSQL takes over from a killed owner and stops that owner's server first", async () => {
    const other = await startInChildProcess(servers.dataDir);
    await runQuery(other.databaseUrl, 'INSERT INTO survived VALUES (2)');
    await stopChild(other.child, 'SIGKILL');
    await runQuery(other.databaseUrl, 'SELECT 1');
    const server = await servers.start();
    expect(servers.logEntries).to.include('warn stopping a PostgreSQL server whose owner was killed');
    expect(server.databaseUrl).to.equal(other.databaseUrl);
    expect(server.pid()).to.not.equal(other.pid);
    expect(await runQuery(server.databaseUrl, 'SELECT id FROM survived ORDER BY id')).to.deep.equal([
      { id: 1 },
      { id: 2 },
    ]);
  });

  it('embedded PostgreSQL does not mistake an unrelated process with a recorded pid for its owner or server', async () => {
    const cluster = await resolveClusterDir(servers.dataDir);
    await writeFile(path.join(servers.dataDir, 'owner.pid'), `${process.ppid}\nanother-boot:1\n`);
    const pidFile = `${process.pid}\n${cluster}\n1700000000\n${(await readPostgresState(servers.dataDir)).port}\n\n127.0.0.1\n`;
    await writeFile(path.join(cluster, 'postmaster.pid'), pidFile);
    await runQuery((await servers.start()).databaseUrl, 'SELECT 1');
    expect(servers.logEntries[0]).to.equal('warn removing a postmaster.pid that names an unrelated process');
  });

  it('embedded PostgreSQL recovers from a first run that was killed half way', async () => {
    const dataDir = path.join(await servers.temporaryFolder(), 'data');
    const starting = startInChildProcess(dataDir).then(
      () => 'ready',
      () => 'killed',
    );
    // Wait until initdb has begun to fill its folder, `<cluster>.new-…`. Then read the process id
    // from owner.pid.
    const pid = await retryUntilSuccess(async () => {
      const cluster = await resolveClusterDir(dataDir);
      servers.folders.add(cluster);
      const siblings = await readdir(path.dirname(cluster));
      const unfinished = siblings.find(
        (name) => /\.new-[0-9a-f]+$/.test(name) && name.startsWith(path.basename(cluster)),
      );
      expect(await readdir(path.join(path.dirname(cluster), unfinished ?? 'none'))).to.include('base');
      return Number((await readFile(path.join(dataDir, 'owner.pid'), 'utf8')).split('\n')[0]);
    });
    process.kill(pid, 'SIGKILL');
    expect(await starting).to.equal('killed');
    const server = await servers.start(dataDir);
    await runQuery(server.databaseUrl, 'SELECT 1');
    const cluster = await resolveClusterDir(dataDir);
    const siblings = await readdir(path.dirname(cluster));
    expect(siblings.filter((name) => name.startsWith(`${path.basename(cluster)}.new`))).to.deep.equal([]);
  });

  it('embedded PostgreSQL replaces an incomplete cluster and moves it aside', async () => {
    const cluster = await resolveClusterDir(servers.dataDir);
    await rm(path.join(cluster, 'global', 'pg_control'));
    const server = await servers.start();
    expect(servers.logEntries).to.include('warn the PostgreSQL cluster is missing; creating an empty one');
    const [tables] = await runQuery(server.databaseUrl, `SELECT to_regclass('survived') AS found`);
    expect(tables).to.deep.equal({ found: null });
    const current = await resolveClusterDir(servers.dataDir);
    for (const name of await readdir(path.dirname(current))) {
      if (name.startsWith(`${path.basename(current)}.broken-`)) {
        servers.folders.add(path.join(path.dirname(current), name));
      }
    }
    expect([...servers.folders].some((name) => name.includes('.broken-'))).to.equal(true);
  });

  it('the restart delay of embedded PostgreSQL is 0 at first and grows up to 5 s', () => {
    expect([0, 1, 2, 3, 6, 7, 50].map(computeRestartDelayMs)).to.deep.equal([
      0, 100, 200, 400, 3_200, 5_000, 5_000,
    ]);
  });
});
