/**
 * Runs PostgreSQL as root and as an ordinary user. In some tests, the user cannot reach the
 * installed programs.
 */
import { chmod, cp, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { locateNativePackage, prepareBinaries } from '../../../bin/embedded-postgres/binaries.js';
import { chooseSystemAccount } from '../../../bin/embedded-postgres/system-account.js';
import {
  expectRejection,
  LogRecorder,
  listClusterProcesses,
  resolveClusterDir,
  runQuery,
  startInChildProcess,
  stopChild,
  usePostgresServers,
} from '../../support/load/embedded-postgres-fixture.js';

const ROOT = process.geteuid?.() === 0;
const NOBODY_UID = 65534;

describe('embedded PostgreSQL: system accounts and programs', function () {
  this.timeout(120_000);
  const servers = usePostgresServers();

  it('embedded PostgreSQL as root runs in another account and keeps the cluster in a folder of that account', async function () {
    if (!ROOT) this.skip();
    const folder = await servers.temporaryFolder();
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
    const server = await servers.start(path.join(folder, 'data'));
    const cluster = await resolveClusterDir(path.join(folder, 'data'));
    expect(cluster).to.match(/^\/var\/(lib|tmp)\/tow-dispatch\/[0-9a-f]{16}$/);
    const account = await chooseSystemAccount(undefined);
    expect((await stat(`/proc/${server.pid()}`)).uid)
      .to.equal(account?.uid)
      .and.not.equal(0);
    expect((await stat(cluster)).mode & 0o777).to.equal(0o700);
    const status = await readFile(`/proc/${server.pid()}/status`, 'utf8');
    expect(status).to.match(/^Groups:\s*$/m);
  });

  it('embedded PostgreSQL as root uses DATA_DIR if its account can reach it, and a new cluster after deletion', async function () {
    if (!ROOT) this.skip();
    const folder = await servers.temporaryFolder();
    const dataDir = path.join(folder, 'data');
    await chmod(folder, 0o755);
    await mkdir(dataDir, 0o755);
    const server = await servers.start(dataDir);
    expect(await resolveClusterDir(dataDir)).to.equal(path.join(dataDir, 'postgres'));
    await server.stop();
    await rm(dataDir, { recursive: true });
    const fresh = await servers.start(dataDir);
    expect(fresh.databaseUrl).to.not.equal(server.databaseUrl);
    await runQuery(fresh.databaseUrl, 'SELECT 1');
  });

  it('embedded PostgreSQL as an ordinary user keeps everything in DATA_DIR, and root can use it in between', async function () {
    if (!ROOT) this.skip();
    const folder = await servers.temporaryFolder();
    await chmod(folder, 0o777);
    const dataDir = path.join(folder, 'data');
    const identity = { uid: NOBODY_UID, gid: NOBODY_UID };
    const first = await startInChildProcess(dataDir, identity);
    await runQuery(first.databaseUrl, 'CREATE TABLE mine (id int)');
    expect(await resolveClusterDir(dataDir)).to.equal(path.join(dataDir, 'postgres'));
    expect((await stat(`/proc/${first.pid}`)).uid).to.equal(NOBODY_UID);
    expect(await stopChild(first.child, 'SIGTERM')).to.equal(0);
    expect(await listClusterProcesses(path.join(dataDir, 'postgres'))).to.deep.equal([]);

    const asRoot = await servers.start(dataDir);
    await runQuery(asRoot.databaseUrl, 'SELECT * FROM mine');
    expect((await stat(`/proc/${asRoot.pid()}`)).uid).to.equal(NOBODY_UID);
    await asRoot.stop();

    const again = await startInChildProcess(dataDir, identity);
    await runQuery(again.databaseUrl, 'SELECT * FROM mine');
    expect(await stopChild(again.child, 'SIGTERM')).to.equal(0);
  });

  describe('embedded PostgreSQL programs', () => {
    /**
     * Copies the installed programs without the symbolic links to their libraries, as `npm ci
     * --ignore-scripts` leaves them.
     */
    async function copyPackageWithoutLinks(): Promise<{ nativeDir: string; version: string; root: string }> {
      const root = await servers.temporaryFolder();
      await chmod(root, 0o755);
      const { nativeDir, version } = await locateNativePackage();
      const copy = path.join(root, 'package', 'native');
      const filter = async (file: string): Promise<boolean> =>
        file.endsWith('.so.60.2') || !/lib(icu|pq|ecpg|pgtypes).*\.so(\.\d+)?$/.test(file);
      await cp(nativeDir, copy, { recursive: true, verbatimSymlinks: true, filter });
      return { nativeDir: copy, version, root };
    }

    it('embedded PostgreSQL programs get the library links that npm did not create', async () => {
      const { root, ...source } = await copyPackageWithoutLinks();
      const account = await chooseSystemAccount(undefined);
      const copyRoots = [root];
      const { postgres } = await prepareBinaries(source, { account, copyRoots, logger: new LogRecorder() });
      expect(postgres).to.equal(path.join(source.nativeDir, 'bin', 'postgres'));
      expect(await readlink(path.join(source.nativeDir, 'lib', 'libpq.so.5'))).to.equal('libpq.so.5.18');
    });

    it('embedded PostgreSQL programs are copied once when the account cannot reach them', async function () {
      if (!ROOT) this.skip();
      const { root, ...source } = await copyPackageWithoutLinks();
      await chmod(path.join(root, 'package'), 0o700);
      const account = await chooseSystemAccount(undefined);
      const log = new LogRecorder();
      const options = { account, copyRoots: [root], logger: log };
      const [one, two] = await Promise.all([
        prepareBinaries(source, options),
        prepareBinaries(source, options),
      ]);
      const copy = path.join(root, `native-${source.version}`);
      expect(one).to.deep.equal(two);
      expect(one.postgres).to.equal(path.join(copy, 'bin', 'postgres'));
      expect((await readdir(root)).sort()).to.deep.equal([`native-${source.version}`, 'package']);
      expect(log.entries[0]).to.equal('info PostgreSQL programs are used from a copy');

      await writeFile(path.join(copy, 'marker'), '');
      await prepareBinaries(source, options);
      expect(await readdir(copy)).to.include('marker');
      await rm(path.join(copy, 'lib'), { recursive: true });
      await prepareBinaries(source, options);
      expect(await readdir(copy))
        .to.include('lib')
        .and.not.include('marker');
      expect((await readdir(root)).sort()).to.deep.equal([`native-${source.version}`, 'package']);
    });

    it('embedded PostgreSQL programs that run nowhere fail with the output of each attempt', async () => {
      const { root, ...source } = await copyPackageWithoutLinks();
      await writeFile(path.join(source.nativeDir, 'bin', 'initdb'), '#!/bin/sh\necho broken >&2\nexit 3\n');
      const options = {
        account: undefined,
        copyRoots: [root],
        logger: new LogRecorder(),
      };
      const failure = await expectRejection(prepareBinaries(source, options));
      expect(failure.message).to.match(
        /do not run: this user cannot run .*initdb: exit code 3 broken; .*native-/,
      );
    });
  });
});
